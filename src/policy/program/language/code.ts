/**
 * Code in other languages is not parsed. Only literal effects are detected: shell text, paths to delete, secrets to
 * write.
 */

import { spend } from '../../../lib/step-budget.js'
import { reason } from '../../../protocol/reason/reason.js'
import { isProtectedFile } from '../../file/protected.js'
import { type Field, literal } from '../../shell/field.js'
import type { Call } from '../handler.js'

const RUNS =
  /\b(?:system|popen|exec[lv]?p?e?|execSync|execFile(?:Sync)?|spawn(?:Sync)?|subprocess|shell_exec|passthru|proc_open|qx|Popen|check_(?:call|output)|getoutput|Open3|sh|os\.execute|child_process|Process|do shell script|Start-Process|Invoke-Expression|iex)\b|`/
const DELETES_TREES =
  /\b(?:rmtree|rm_rf|rm_r|remove_entry_secure|remove_tree|rmSync|rmdirSync|fs\.rm|fsp?\.promises\.rm|removeSync|rimraf|remove_dir_all|RemoveAll|deleteTree|delete_recursive|emptyDirSync|FileUtils\.rm\w*)\b/
const HOME =
  /\b(?:expanduser\(\s*['"]~\/?['"]\s*\)|Path\.home\(\)|homedir\(\)|Dir\.home|os\.UserHomeDir\(\))|(?:environ(?:\.get\(|\[)|process\.env\.?\[?|ENV\[|\$ENV\{|getenv\()\s*['"]?HOME\b/
const WRITES =
  /\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|write_text|write_bytes|file_put_contents|unlink(?:Sync)?|rename(?:Sync)?|truncate(?:Sync)?|copyFile(?:Sync)?|chmod(?:Sync)?|chown(?:Sync)?|os\.remove|os\.rename|shutil\.\w+|File\.write|File\.delete|FileUtils\.\w+|IO\.write|move_uploaded_file|fopen|Set-Content|Out-File|Add-Content|symlink(?:Sync)?|link(?:Sync)?|touch)\b|open\s{0,20}\([^)]{0,400}['"](?:[wax+]|r\+)|open\s{0,20}\(?[^;]{0,400}['"]\s{0,20}>/
const SOCKET =
  /\bsocket\b|\bTCPSocket\b|\bfsockopen\b|\bIO::Socket\b|net\.(?:connect|Socket|createConnection)|\/dev\/tcp\//i
const SHELL = /\/bin\/(?:ba|da|z|k)?sh|\bcmd\.exe\b|\bsh -i\b|\bpty\.spawn\b|\bdup2\b|['"](?:ba|z)?sh['"]/
const FORK_LOOP =
  /\bfork\s{0,20}(?:\(\s{0,20}\))?\s{1,20}while\b|\bwhile\b[^;{:]{0,400}[;{:)]?[^;]{0,400}\bfork\b|\bloop\s{0,20}(?:do|\{)[^}]{0,400}\bfork\b|\bfor\s{0,20}\(\s{0,20};\s{0,20};\s{0,20}\)[^}]{0,400}\bfork\b|\bfork\b[^;]{0,400}\|\|?\s{0,20}fork/

export function judgeCode({ context, name }: Call, code: Field): void {
  const { text, span } = code
  spend(text.length * 4)
  const strings = stringsOf(text)
  if (FORK_LOOP.test(text)) context.deny('fork-bomb', reason('shell.forks'), span)
  if (SOCKET.test(text) && SHELL.test(text))
    context.deny('reverse-shell', reason('network.reverse-shell', { name }), span)
  if (RUNS.test(text)) {
    for (const command of [...strings, ...listsOf(text)]) {
      if (command.length > 2)
        context.inSubshell(() => context.onlyDenials(() => context.runText(command, span)))
    }
  }
  if (DELETES_TREES.test(text)) {
    const places = HOME.test(text) ? [...strings, context.environment.home] : strings
    for (const path of places) {
      if (path !== '')
        context.onlyDenials(() =>
          context.access('delete', literal(path === '~' ? context.environment.home : path, span), {
            isRecursive: true,
          }),
        )
    }
  }
  if (WRITES.test(text)) {
    for (const path of strings) {
      if (isProtectedFile(path)) context.onlyDenials(() => context.access('write', literal(path, span)))
    }
  }
}

const MAX_STRINGS = 50
const MAX_LISTS = 20

function stringsOf(code: string): string[] {
  const found: string[] = []
  /** Quotes that are not closed in the rest of the code. */
  const open = new Set<string>()
  for (let at = 0; at < code.length && found.length < MAX_STRINGS; at++) {
    const quote = code[at] as string
    if (!`"'\``.includes(quote) || open.has(quote)) continue
    const end = endOfString(code, at)
    if (end === null) {
      open.add(quote)
      continue
    }
    found.push(code.slice(at + 1, end).replaceAll(/\\(["'\\`])/g, '$1'))
    at = end
  }
  return found
}

/** The end of the string whose quote is at this position; null if it is not closed. */
function endOfString(code: string, start: number): number | null {
  for (let at = start + 1; at < code.length; at += code[at] === '\\' ? 2 : 1) {
    spend(0.2)
    if (code[at] === code[start]) return at
  }
  return null
}

/** `["rm", "-rf", "/"]` is a command as a list of words. */
function listsOf(code: string): string[] {
  const found: string[] = []
  for (let at = 0; at < code.length && found.length < MAX_LISTS; at++) {
    if (code[at] !== '[' && code[at] !== '(') continue
    const list = listAt(code, at + 1)
    if (list === null) continue
    found.push(list.items.join(' '))
    at = list.end
  }
  return found
}

/** Strings separated by nothing but white space and commas, up to a closing bracket. */
function listAt(code: string, start: number): { items: string[]; end: number } | null {
  const items: string[] = []
  for (let at = start; at < code.length; at++) {
    spend(0.2)
    const character = code[at] as string
    if (character === '"' || character === "'") {
      const end = endOfString(code, at)
      if (end === null) return null
      items.push(code.slice(at + 1, end))
      at = end
    } else if (character === ']' || character === ')') return items.length > 0 ? { items, end: at } : null
    else if (character !== ',' && !/\s/.test(character)) return null
  }
  return null
}
