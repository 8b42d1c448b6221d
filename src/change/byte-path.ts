/**
 * Paths below a workspace as bytes, with one character for each byte. A name on disk need not be text: it can hold any byte
 * but NUL and the slash, and two names that look the same can differ.
 */
export type BytePath = string

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1')
}

/** The paths of a list in which each ends with NUL, as git prints them with `-z`. */
export function pathsIn(list: Buffer): BytePath[] {
  if (list.length === 0) return []
  return list.toString('latin1').replace(/\0$/, '').split('\0')
}

export function listOf(paths: readonly BytePath[]): Buffer {
  return bytesOf(paths.map((path) => `${path}\0`).join(''))
}

/** As an argument of a program; null where it is not text, and so cannot be one. */
export function argumentOf(path: BytePath): string | null {
  return textOf(path)
}

/** As users read and write it: UTF-8, or quoted as git does where a name is not text or holds control characters. */
export function shownPath(path: BytePath): string {
  const text = textOf(path)
  if (text !== null && !/[\p{Cc}"]/u.test(text)) return text
  const quoted = path.replaceAll(/[\p{Cc}\u0080-\u00ff"\\]/gu, (letter) => {
    const octal = letter.charCodeAt(0).toString(8).padStart(3, '0')
    return letter === '"' || letter === '\\' ? `\\${letter}` : `\\${octal}`
  })
  return `"${quoted}"`
}

/** Absolute, for rules that look at names. Bytes that are no text are replaced: no name in a rule has them. */
export function absoluteText(workspace: string, path: BytePath): string {
  return `${workspace}/${bytesOf(path).toString('utf8')}`
}

/** Of a name that is text and not quoted. */
export function bytePathOfText(text: string): BytePath {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** The path that is shown like this. */
export function bytePathOf(shown: string): BytePath {
  const quoted = /^"(.*)"$/s.exec(shown)?.[1]
  if (quoted === undefined) return bytePathOfText(shown)
  return quoted.replaceAll(/\\(?:([0-7]{3})|(.))/gs, (_, octal?: string, letter?: string) =>
    octal === undefined ? (letter ?? '') : String.fromCharCode(Number.parseInt(octal, 8)),
  )
}

function textOf(path: BytePath): string | null {
  try {
    return utf8.decode(bytesOf(path))
  } catch {
    return null
  }
}

/** The path of the folder that it is in; empty for the workspace itself. */
export function folderOf(path: BytePath): BytePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** All folders that it is in, from the top. */
export function foldersAround(path: BytePath): BytePath[] {
  const folders: BytePath[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at))
  return folders
}

/** Code points that some file systems drop from names, so that `.g\u200cit` is `.git` there. */
const DROPPED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether one of its names is that of a git folder, in any spelling that a file system may take for it. Git refuses to
 * record such a path, and nothing is ever written to one.
 */
export function isGitPath(path: BytePath): boolean {
  return path.split('/').some((name) => {
    const plain = (textOf(name) ?? name).replaceAll(DROPPED, '').toLowerCase()
    return plain === '.git'
  })
}
