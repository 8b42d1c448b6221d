/** Read-only commands as coding agents type them, by category. Nothing in here needs a question. */

import { FILE_COMMANDS } from './file.js'
import { FILTER_COMMANDS } from './filter.js'
import { GIT_COMMANDS } from './git.js'
import { SEARCH_COMMANDS } from './search.js'
import { SHELL_COMMANDS } from './shell.js'

export const BENIGN: Readonly<Record<string, readonly string[]>> = {
  ...FILE_COMMANDS,
  ...SEARCH_COMMANDS,
  ...GIT_COMMANDS,
  ...FILTER_COMMANDS,
  ...SHELL_COMMANDS,
}
