import type { PolicyCall } from '../../src/policy/call.js'
import { emptyFileSystem } from '../../src/policy/file/file-system.js'

/** A command of an agent in an ordinary project, on a machine without files. */
export function bashCall(command: string): PolicyCall {
  return {
    tool: 'Bash',
    input: { command },
    mode: 'default',
    cwd: '/home/dev/project',
    home: '/home/dev',
    fs: emptyFileSystem,
  }
}
