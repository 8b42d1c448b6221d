/** Code in other languages is not read as such. What stands in it openly is seen: shell text, paths to delete, secrets to write. */

import { isProtectedFile } from '../protected.js'
import { type Field, literal } from '../shell/field.js'
import type { Call } from './handler.js'

const RUNS =
  /\b(?:system|popen|exec[lv]?p?e?|execSync|execFile(?:Sync)?|spawn(?:Sync)?|subprocess|shell_exec|passthru|proc_open|qx|Popen|check_(?:call|output)|getoutput|Open3|sh|os\.execute|child_process|Process|do shell script|Start-Process|Invoke-Expression|iex)\b|`/
const DELETES_TREES =
  /\b(?:rmtree|rm_rf|rm_r|remove_entry_secure|remove_tree|rmSync|rmdirSync|fs\.rm|fsp?\.promises\.rm|removeSync|rimraf|remove_dir_all|RemoveAll|deleteTree|delete_recursive|emptyDirSync|FileUtils\.rm\w*)\b/
const HOME =
  /\b(?:expanduser\(\s*['"]~\/?['"]\s*\)|Path\.home\(\)|homedir\(\)|Dir\.home|os\.UserHomeDir\(\))|(?:environ(?:\.get\(|\[)|process\.env\.?\[?|ENV\[|\$ENV\{|getenv\()\s*['"]?HOME\b/
const WRITES =
  /\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|write_text|write_bytes|file_put_contents|unlink(?:Sync)?|rename(?:Sync)?|truncate(?:Sync)?|copyFile(?:Sync)?|chmod(?:Sync)?|chown(?:Sync)?|os\.remove|os\.rename|shutil\.\w+|File\.write|File\.delete|FileUtils\.\w+|IO\.write|move_uploaded_file|fopen|Set-Content|Out-File|Add-Content|symlink(?:Sync)?|link(?:Sync)?|touch)\b|open\s*\([^)]*['"][wax+]|open\s*\([^)]*['"]r\+|open\s*\(?[^;]*['"]\s*>{1,2}/
const SOCKET =
  /\bsocket\b|\bTCPSocket\b|\bfsockopen\b|\bIO::Socket\b|net\.(?:connect|Socket|createConnection)|\/dev\/tcp\//i
const SHELL = /\/bin\/(?:ba|da|z|k)?sh|\bcmd\.exe\b|\bsh -i\b|\bpty\.spawn\b|\bdup2\b|['"](?:ba|z)?sh['"]/
const FORK_LOOP =
  /\bfork\s*(?:\(\s*\))?\s+while\b|\bwhile\b[^;{:]*[;{:)]?[^;]*\bfork\b|\bloop\s*(?:do|\{)[^}]*\bfork\b|\bfor\s*\(\s*;\s*;\s*\)[^}]*\bfork\b|\bfork\b[^;]*\|\|?\s*fork/

export function judgeCode({ reader }: Call, code: Field): void {
  const { text, span } = code
  const strings = stringsOf(text)
  if (FORK_LOOP.test(text)) reader.deny('fork-bomb', 'It starts processes without end.', span)
  if (SOCKET.test(text) && SHELL.test(text))
    reader.deny('reverse-shell', 'It connects a shell to another machine.', span)
  if (RUNS.test(text)) {
    for (const command of [...strings, ...listsOf(text)]) {
      if (command.length > 2)
        reader.inSubshell(() => onlyDenials(reader, () => reader.runText(command, span)))
    }
  }
  if (DELETES_TREES.test(text)) {
    const places = HOME.test(text) ? [...strings, reader.world.home] : strings
    for (const path of places) {
      if (path !== '')
        onlyDenials(reader, () =>
          reader.access('delete', literal(path === '~' ? reader.world.home : path, span), {
            isRecursive: true,
          }),
        )
    }
  }
  if (WRITES.test(text)) {
    for (const path of strings) {
      if (isProtectedFile(path)) onlyDenials(reader, () => reader.access('write', literal(path, span)))
    }
  }
}

/** A string in code may be anything: only what would surely be destructive counts. */
function onlyDenials(reader: Call['reader'], action: () => void): void {
  const before = reader.findings.length
  action()
  const denials = reader.findings.slice(before).filter(({ verdict }) => verdict === 'deny')
  reader.findings.length = before
  reader.findings.push(...denials)
}

function stringsOf(code: string): string[] {
  const found = code.matchAll(/(["'`])((?:(?!\1)[^\\]|\\[^])*)\1/g)
  return [...found].slice(0, 50).map((match) => (match[2] ?? '').replaceAll(/\\(["'\\`])/g, '$1'))
}

/** `["rm", "-rf", "/"]` is a command in pieces. */
function listsOf(code: string): string[] {
  return [...code.matchAll(/[[(]((?:\s*(["'])(?:(?!\2)[^\\])*\2\s*,?)+)[\])]/g)]
    .slice(0, 20)
    .map((match) => stringsOf(match[1] ?? '').join(' '))
}
