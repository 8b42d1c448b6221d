import { useStore } from '../store/state.js'
import { Copyable } from './copy.js'

/** A command of the command line, called as the daemon says that it can be: from a checkout it is not on the PATH. */
export function OwnCommand({ words }: { words: string }) {
  const command = useStore((state) => state.about?.command ?? 'signalbox')
  return <Copyable text={`${command} ${words}`} />
}
