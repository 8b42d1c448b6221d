/**
 * The protocol of the keeper: lines of JSON over a unix socket. The first line of a connection
 * is a `KeeperRequest`, answered with one `KeeperReply`. After `start` and `attach`, each further line from the client is a
 * `InputOrder`, and the keeper sends an `ExitReport` when the process has exited.
 */

/** A keeper of another version is not used: it ends when its processes have. */
export const KEEPER_VERSION = 1

export type KeeperRequest = { secret: string } & (
  | { op: 'hello' }
  | ({ op: 'start' } & KeptStart)
  | { op: 'attach'; folder: string }
)

export interface KeptStart {
  /** Gets the files `out.jsonl`, `err`, `pid` and `exit`; has the input in `in.jsonl`. */
  folder: string
  command: string
  args: readonly string[]
  cwd?: string
  env: Readonly<Record<string, string>>
  /** A variable in the environment of the process and of all that it starts, by which they are found to be ended. */
  mark: string
}

export type KeeperReply =
  | { version: number; pid: number }
  /** `sent`: up to here its input has been given to it. */
  | { pid: number; sent: number }
  | { gone: true }
  | { error: string }

/** Give it this part of `in.jsonl`, which is whole lines; or end its input. */
export type InputOrder = readonly [from: number, to: number] | 'end'

export interface ExitReport {
  exit: string
}

export const INPUT_FILE = 'in.jsonl'
export const OUTPUT_FILE = 'out.jsonl'
export const ERROR_FILE = 'err'
export const EXIT_FILE = 'exit'
export const PID_FILE = 'pid'

export const SOCKET_NAME = 'keeper.sock'
export const SECRET_NAME = 'keeper.secret'
/** A shorter one was cut off while it was written, and is none. */
export const SECRET_LENGTH = 43
