/** Which files may be looked at and read: those whose real path is in the workspace and that are not protected. */

import { isOddName } from '../file-system.js'
import { isControlFile } from '../landmark.js'
import { follow, isInside, isKnown } from '../path.js'
import { protectionOf } from '../protected.js'
import type { World } from '../world.js'
import { fitsName, isLiteral, type Pattern, partsOf } from './glob.js'
import { type Budget, FILE_STEPS, refuse, shown } from './unproven.js'

/** An argument as a program gets it. */
export interface Field {
  /** With NUL for what is not known. */
  text: string
  at: number
  /** The pattern that stays in it when no file fits. */
  pattern?: Pattern | undefined
  /** A glob fits it. Which of several comes first is not relied on. */
  isMatch?: boolean | undefined
  /** It may stand for several files at once. */
  isMany?: boolean | undefined
  /** It stands for files of a tree that has been walked. */
  isWalked?: boolean | undefined
}

/** Which names in a tree would be read. */
export interface TreeFilter {
  skipsFolder?: (name: string) => boolean
  readsFile?: (name: string) => boolean
  /** As `diff` does below a folder. */
  followsFolders?: boolean
  /** Names go through `xargs`, which splits them at blanks and undoes quotes. */
  isSplit?: boolean
}

/** A pattern that may fit one of these is not read even where no such file is now. */
const USUAL = ['.env', '.env.local', '.envrc', '.netrc']
const SPLITTING = /[\s'"\\]|^-/

export class Places {
  readonly world: World
  readonly budget: Budget

  constructor(world: World, budget: Budget) {
    this.world = world
    this.budget = budget
  }

  /** The name, the kind and the size of a file. Links are followed. */
  look(field: Field, folders: readonly string[]): void {
    if (field.isWalked || field.text === '/dev/null') return
    for (const folder of folders) this.#real(field, folder)
  }

  /** `isTracked`: as git has stored it, where a name such as HEAD is no file of settings. */
  read(field: Field, folders: readonly string[], { isTracked = false } = {}): void {
    if (field.isWalked || field.text === '/dev/null' || field.text === '-') return
    const last = field.pattern === undefined ? undefined : partsOf(field.pattern).at(-1)
    if (last !== undefined && !isLiteral(last) && USUAL.some((name) => fitsName(last, name, this.budget)))
      refuse(`${shown(field.text)} may be a protected file`, field.at)
    if (isGuarded(field.text)) refuse(`${shown(field.text)} is a protected file`, field.at)
    // Some programs read their arguments from a file that is named so.
    if (field.text.startsWith('@')) refuse(`${shown(field.text)} may name a file of arguments`, field.at)
    for (const folder of folders) {
      const real = this.#real(field, folder)
      this.#checkContent(real, field, isTracked)
    }
  }

  /** A file, or all files below a folder. */
  tree(field: Field, folders: readonly string[], filter: TreeFilter = {}): void {
    this.read(field, folders)
    // A folder may be among them, and only files with certain names were looked at below it.
    if (field.isWalked && field.isMany) refuse('a folder that was found would be read whole', field.at)
    if (field.isWalked) return
    for (const folder of folders) {
      const real = this.#real(field, folder)
      this.#walk(real, field, filter)
    }
  }

  /** Where a path leads from a folder. */
  folderAt(path: string, folder: string): string {
    const at = path.startsWith('/') ? path : `${folder}/${path}`
    return follow(this.world.fs, at, { last: true }) ?? refuse('links go in circles', null)
  }

  /** The folder in which git would run may not be, or lie below, a repository of its own. */
  repository(at: number, folders: readonly string[]): void {
    const { realWorkspace, fs } = this.world
    for (const start of folders) {
      if (!isInside(realWorkspace, start)) refuse('git would run outside the workspace', at)
      for (let folder = start; ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
        this.budget.spend(FILE_STEPS)
        const names = fs.list(folder) ?? []
        const isBare = ['HEAD', 'objects', 'refs'].every((name) => names.includes(name))
        if (isBare || (folder !== realWorkspace && names.includes('.git')))
          refuse('there is a repository inside the workspace', at)
        if (folder === realWorkspace) break
      }
    }
    this.#gitlinks(at)
  }

  /** `git status` and `git diff` look into these, by the settings that stand in them. */
  #gitlinks(at: number): void {
    const { realWorkspace, fs } = this.world
    const links = fs.gitlinks(realWorkspace)
    if (links === null) return refuse('the index of the repository is not understood', at)
    for (const link of links) {
      this.budget.spend(FILE_STEPS)
      if (fs.list(`${realWorkspace}/${link}`)?.includes('.git') !== false)
        refuse(`there is a repository in ${shown(link)}`, at)
    }
  }

  /** Whether it is known that the workspace is not the top of a repository. */
  hasNoRepository(): boolean {
    const names = this.world.fs.list(this.world.realWorkspace)
    return names !== null && !names.includes('.git')
  }

  /** Programs that try other endings where a file is missing would read what was not judged. */
  exists({ text, at }: Field, folders: readonly string[]): void {
    for (const folder of folders) {
      const path = text.startsWith('/') ? text : `${folder}/${text}`
      const cut = path.lastIndexOf('/')
      const names = this.world.fs.list(path.slice(0, cut) || '/')
      if (names?.includes(path.slice(cut + 1)) !== true)
        refuse(`${shown(text)} is not there, so another file may be read`, at)
    }
  }

  #real({ text, at }: Field, folder: string): string {
    this.budget.spend(FILE_STEPS)
    if (!isKnown(text)) return refuse('the name of a file is not known before it runs', at)
    if (text === '' || text.length > 4096) return refuse('this is no name of a file', at)
    const real = follow(this.world.fs, text.startsWith('/') ? text : `${folder}/${text}`, { last: true })
    if (real === null || !isInside(this.world.realWorkspace, real))
      return refuse(`${shown(text)} is outside the workspace`, at)
    return real
  }

  #checkContent(real: string, { text, at }: Field, isTracked: boolean): void {
    const below = real.slice(this.world.realWorkspace.length)
    if (isGuarded(real) || isGuarded(below)) refuse(`${shown(text)} is a protected file`, at)
    if (!isTracked && isControlFile(below)) refuse(`${shown(text)} is a file of settings`, at)
    if (this.world.fs.identity(real) !== null) refuse(`${shown(text)} has several names`, at)
  }

  #walk(top: string, field: Field, filter: TreeFilter): void {
    const { fs, realWorkspace } = this.world
    const waiting = [top]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      for (const name of fs.list(folder) ?? []) {
        this.budget.spend(FILE_STEPS)
        const path = `${folder}/${name}`
        if (isOddName(name)) refuse(`there is a name below ${shown(field.text)} that is not UTF-8`, field.at)
        const isFolder = fs.list(path) !== null
        if (name === '.git' || (isFolder && filter.skipsFolder?.(name))) continue
        if (/^\.signalbox$/i.test(name))
          refuse(`there are files of Signalbox below ${shown(field.text)}`, field.at)
        const isRead = filter.readsFile?.(name) ?? true
        if (fs.readLink(path) !== null && (isRead || filter.followsFolders)) {
          const real = follow(fs, path, { last: true })
          const isLed = filter.followsFolders && real !== null && fs.list(real) !== null
          if (real === null || !isInside(realWorkspace, real) || isGuarded(real) || isLed)
            refuse(`${shown(name)} below ${shown(field.text)} is a link to elsewhere`, field.at)
        }
        if (isFolder) waiting.push(path)
        else if (isRead && (isGuarded(path.slice(realWorkspace.length)) || fs.identity(path) !== null))
          refuse(`there is a protected file below ${shown(field.text)}`, field.at)
        if (filter.isSplit && (isFolder || isRead) && SPLITTING.test(name))
          refuse(`xargs would split the name ${shown(name)}`, field.at)
      }
    }
  }
}

function isGuarded(path: string): boolean {
  return protectionOf(path) !== null && !(protectionOf(path) === 'folder' && path.endsWith('/'))
}
