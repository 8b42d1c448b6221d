import { lastCommand } from '../store/own-command.js'
import { useStore } from '../store/state.js'
import { Copyable } from './copy.js'

/** The program as the daemon says that it can be called: from a checkout it is not on the PATH. */
export function useOwnCommand(): string {
  return useStore((state) => state.about?.command) ?? lastCommand()
}

/** A command of the command line. */
export function OwnCommand({ words }: { words: string }) {
  return <Copyable text={`${useOwnCommand()} ${words}`} />
}
