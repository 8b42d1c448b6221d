/** Files that may be listed and read: those whose real path is in the workspace and that are not protected. */

import { reason } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { isRebasePatch } from '../file/git-patch.js'
import { isGitConfig } from '../file/git-settings.js'
import { IGNORE_FILES, ignoreFilesAbove } from '../file/ignore-file.js'
import { follow, isInside, isKnown } from '../file/path.js'
import { protectionOf } from '../file/protected.js'
import { isControlFile } from '../file/well-known-paths.js'
import { fits, fitsName, isLiteral, type Pattern, partsOf, patternOf } from './glob.js'
import { type Budget, FILE_STEPS, refuse } from './unproven.js'

/** An argument as the program receives it. */
export interface Field {
  /** With NUL for unknown text. */
  text: string
  at: number
  /** The pattern that stays in it if no file matches. */
  pattern?: Pattern | undefined
  /** A match of a glob. The proof does not rely on the order of several matches. */
  isMatch?: boolean | undefined
  /** It may stand for several files. */
  isMany?: boolean | undefined
  /** It stands for files of a tree that has been walked. */
  isWalked?: boolean | undefined
}

/** Selects the names in a tree that would be read. */
export interface TreeFilter {
  skipsFolder?: (name: string) => boolean
  readsFile?: (name: string) => boolean
  /** Follows symlinks to folders, as `diff` does below a folder. */
  followsFolders?: boolean
  /** Lines with `!` in an ignore file re-include names that are left out. */
  obeysIgnoreFiles?: boolean
  /** Names go through `xargs`, which splits them at blanks and removes quotes. */
  isSplit?: boolean
}

/** A pattern that may match one of these is refused, even if no such file exists now. */
const USUAL = ['.env', '.env.local', '.envrc', '.netrc']
/** Folders of git with compressed content, and with ids of objects: their names say nothing about their content. */
const COMPRESSED: ReadonlySet<string> = new Set(['objects', 'refs', 'logs'])
const SPLITTING = /[\s'"\\]|^-/

export class Places {
  readonly environment: CallEnvironment
  readonly budget: Budget

  constructor(environment: CallEnvironment, budget: Budget) {
    this.environment = environment
    this.budget = budget
  }

  /** Checks access to the name, kind and size of a file. Symlinks are followed. */
  look(field: Field, folders: readonly string[]): void {
    if (field.isWalked || field.text === '/dev/null') return
    for (const folder of folders) this.#real(field, folder)
  }

  /** `isTracked`: the content stored by git, where a name such as HEAD is not a settings file. */
  read(named: Field, folders: readonly string[], { isTracked = false } = {}): void {
    if (named.isWalked || named.text === '/dev/null') return
    // To some programs a dash is standard input, to others a file named `-`.
    const field = named.text === '-' ? { ...named, text: './-' } : named
    const last = field.pattern === undefined ? undefined : partsOf(field.pattern).at(-1)
    if (last !== undefined && !isLiteral(last) && USUAL.some((name) => fitsName(last, name, this.budget)))
      refuse(reason('proof.may-be-protected', { path: field.text }), field.at)
    if (isGuarded(field.text)) refuse(reason('proof.protected', { path: field.text }), field.at)
    // Some programs read their arguments from a file that is named in this way.
    if (field.text.startsWith('@')) refuse(reason('proof.argument-file', { path: field.text }), field.at)
    for (const folder of folders) {
      const real = this.#real(field, folder)
      this.#checkContent(real, field, isTracked)
    }
  }

  /** A file, or all files below a folder. */
  tree(field: Field, folders: readonly string[], filter: TreeFilter = {}): void {
    this.read(field, folders)
    if (field.text === '-') return
    // A folder may be among them, below which only files with certain names were checked.
    if (field.isWalked && field.isMany) refuse(reason('proof.found-folder'), field.at)
    if (field.isWalked) return
    for (const folder of folders) {
      const real = this.#real(field, folder)
      this.#walk(real, field, filter)
    }
  }

  /** The real path of a file that may be listed. */
  realPath(field: Field, folder: string): string {
    return this.#real(field, folder)
  }

  /** Refuses hard links and files behind a symlink: their name does not identify their content. */
  stored(path: string, at: number): void {
    const { fs, realWorkspace } = this.environment
    this.budget.spend(FILE_STEPS)
    if (!isInside(realWorkspace, path) || follow(fs, path, { last: true }) !== path)
      refuse(reason('proof.tracked-link'), at)
    if (fs.identity(path) !== null) refuse(reason('proof.tracked-hard-links'), at)
  }

  /** Resolves a path from a folder. */
  folderAt(path: string, folder: string): string {
    const at = path.startsWith('/') ? path : `${folder}/${path}`
    return follow(this.environment.fs, at, { last: true }) ?? refuse(reason('proof.symlink-loop'), null)
  }

  /** Refuses a missing file: programs that try other extensions would read a file that was not judged. */
  exists({ text, at }: Field, folders: readonly string[]): void {
    for (const folder of folders) {
      const path = text.startsWith('/') ? text : `${folder}/${text}`
      const cut = path.lastIndexOf('/')
      const names = this.environment.fs.list(path.slice(0, cut) || '/')
      if (names?.includes(path.slice(cut + 1)) !== true) refuse(reason('proof.absent', { path: text }), at)
    }
  }

  /** The patterns of the ignore files above a folder, and of those found below it. */
  #negations(top: string): { readIn(folder: string): void; fits(name: string): boolean } {
    const { fs, home } = this.environment
    const patterns: ((name: string, budget: Budget) => boolean)[] = []
    const add = (path: string) => {
      for (const pattern of fs.negations(path) ?? []) patterns.push(mayMean(pattern))
    }
    const readIn = (folder: string) => {
      const names = fs.list(folder) ?? []
      for (const name of IGNORE_FILES) if (names.includes(name)) add(`${folder}/${name}`)
    }
    const above = ignoreFilesAbove(top, home)
    this.budget.spend(above.length)
    for (const path of above) add(path)
    return { readIn, fits: (name) => patterns.some((pattern) => pattern(name, this.budget)) }
  }

  #real({ text, at }: Field, folder: string): string {
    this.budget.spend(FILE_STEPS)
    if (!isKnown(text)) return refuse(reason('proof.unknown-file'), at)
    if (text === '' || text.length > 4096) return refuse(reason('proof.unknown-file'), at)
    const real = follow(this.environment.fs, text.startsWith('/') ? text : `${folder}/${text}`, {
      last: true,
    })
    if (real === null || !isInside(this.environment.realWorkspace, real))
      return refuse(reason('proof.outside', { path: text }), at)
    return real
  }

  #checkContent(real: string, { text, at }: Field, isTracked: boolean): void {
    const below = real.slice(this.environment.realWorkspace.length)
    if (isGuarded(real) || isGuarded(below)) refuse(reason('proof.protected', { path: text }), at)
    if (!isTracked && isControlFile(below)) refuse(reason('proof.settings', { path: text }), at)
    if (this.environment.fs.identity(real) !== null) refuse(reason('proof.hard-links', { path: text }), at)
  }

  #walk(top: string, field: Field, filter: TreeFilter): void {
    const { fs, realWorkspace } = this.environment
    const waiting = [top]
    const isTakenBack = filter.obeysIgnoreFiles ? this.#negations(top) : null
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      isTakenBack?.readIn(folder)
      const names = fs.list(folder) ?? []
      const isGit = /\/\.git(?:\/|$)/.test(folder)
      for (const name of names) {
        if (isGit && COMPRESSED.has(name)) continue
        this.budget.spend(FILE_STEPS)
        const path = `${folder}/${name}`
        const isFolder = fs.list(path) !== null
        const isBack = isTakenBack?.fits(name) === true
        if (isFolder && filter.skipsFolder?.(name) && !isBack) continue
        if (/^\.signalbox$/i.test(name)) refuse(reason('proof.own-files', { path: field.text }), field.at)
        const isRead = isBack || (filter.readsFile?.(name) ?? true)
        if (fs.readLink(path) !== null && (isRead || filter.followsFolders)) {
          const real = follow(fs, path, { last: true })
          const isLed = filter.followsFolders && real !== null && fs.list(real) !== null
          if (real === null || !isInside(realWorkspace, real) || isGuarded(real) || isLed)
            refuse(reason('proof.link-in-tree', { name, path: field.text }), field.at)
        }
        if (isFolder) waiting.push(path)
        else if (isRead && (isGuarded(path.slice(realWorkspace.length)) || fs.identity(path) !== null))
          refuse(reason('proof.contains-protected', { path: field.text }), field.at)
        if (isRead && isRebasePatch(folder, name))
          refuse(reason('proof.contains-protected', { path: field.text }), field.at)
        if (isRead && isGitConfig(name, names) && fs.gitSettings(path) === 'credentials')
          refuse(reason('proof.git-credentials', { path: field.text }), field.at)
        if (filter.isSplit && (isFolder || isRead) && SPLITTING.test(name))
          refuse(reason('proof.xargs-name', { name }), field.at)
      }
    }
  }
}

/** Whether a name in the pattern may match this name. A pattern that is not understood may match any name. */
function mayMean(pattern: string): (name: string, budget: Budget) => boolean {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '**')
  if (parts.length === 0) return () => true
  const patterns = parts.map(patternOf)
  return (name, budget) => patterns.some((part) => part === null || fits(part, name, budget))
}

function isGuarded(path: string): boolean {
  return protectionOf(path) !== null && !(protectionOf(path) === 'folder' && path.endsWith('/'))
}
