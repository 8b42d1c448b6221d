/** Diffs of changes and of states, as users review them. */

import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findGitFolder, isOwnGitFolder, isSha256, readHead, realFolder } from '../../lib/git/git-folder.js'
import { type ChangedPicture, Diff, type DiffFile } from '../../protocol/change/diff.js'
import { HubError } from '../../protocol/error.js'
import type { BytePath } from '../byte-path.js'
import { bytePathOf, shownPath } from '../byte-path.js'
import type { TreeEntry } from '../git/tree-diff.js'
import type { ChangeEvent } from '../history.js'
import type { OpenWorkspace } from '../open-workspace.js'
import { EMPTY_META } from '../snapshot/meta.js'
import { compareStates, type FileDifference, type StateDifference } from '../snapshot/state-diff.js'
import { PLAIN_DIFF, summarise, totalsOf } from '../summary.js'
import { type PatchSection, readPatch } from './patch.js'

export interface DiffOptions {
  file?: string | undefined
  context?: number | undefined
}

const CONTEXT = 3
const MAX_FILES = 1_000
const MAX_PATCH_BYTES = 8 * 1024 * 1024
const MAX_PICTURE_BYTES = 5 * 1024 * 1024

export class Review {
  readonly #workspace: OpenWorkspace

  constructor(workspace: OpenWorkspace) {
    this.#workspace = workspace
  }

  /** Of several changes, from the first state of each file to its last. */
  async ofChanges(events: readonly ChangeEvent[], options: DiffOptions): Promise<Diff> {
    const difference = await this.differenceOf(events)
    const diff = await this.ofDifference(difference, options)
    return { ...diff, changeIds: events.map(({ data }) => data.changeId) }
  }

  async differenceOf(events: readonly ChangeEvent[]): Promise<StateDifference> {
    const { store, refs } = this.#workspace
    const files = new Map<BytePath, FileDifference>()
    const folders = new Map<BytePath, boolean>()
    for (const { data } of events) {
      const [before, after] = await Promise.all([refs.read(data.before), refs.read(data.after)]).catch(gone)
      const difference = await compareStates(store.trees, before, after).catch(gone)
      for (const file of difference.files) {
        const known = files.get(file.path)
        files.set(file.path, known ? { ...file, before: known.before } : file)
      }
      for (const { path, isNew } of difference.folders)
        if (folders.has(path)) folders.delete(path)
        else folders.set(path, isNew)
    }
    const isChanged = ({ before, after }: FileDifference) => JSON.stringify(before) !== JSON.stringify(after)
    return {
      files: [...files.values()].filter(isChanged),
      folders: [...folders].map(([path, isNew]) => ({ path, isNew })),
      left: [],
    }
  }

  /** Shows a difference, whatever made it. */
  async ofDifference(difference: StateDifference, options: DiffOptions): Promise<Diff> {
    const { store } = this.#workspace
    const side = (key: 'before' | 'after') =>
      store.trees.ofEntries(difference.files.map((file) => ({ path: file.path, after: file[key] })))
    const trees = { before: await side('before'), after: await side('after') }
    return this.#diff(trees, difference, options)
  }

  /** The workspace now, compared with the first state that was kept for the session. */
  async sinceStart(sessionId: string, options: DiffOptions): Promise<Diff> {
    const { store, refs, changes } = this.#workspace
    const first = await refs.first(sessionId)
    if (first === null) return Diff.parse({ files: [], totals: totalsOf([]), changeIds: [] })
    const now = await changes.settled()
    const difference = await compareStates(store.trees, first, now)
    return this.#diff({ before: first.tree, after: now.tree }, difference, options)
  }

  /** The workspace now, compared with the commit that is checked out in it. Line ends are not compared. */
  async sinceHead(options: DiffOptions): Promise<Diff> {
    const { store, changes } = this.#workspace
    const found = findGitFolder(store.workspace)
    if (found && !isOwnGitFolder(found)) throw noHead('Its .git leads to a repository of another folder.')
    const head = found && readHead(found)
    if (!found || !head) throw noHead('The folder has no commit to compare with.')
    const objects = join(found.common, 'objects')
    if (realFolder(objects) !== join(realFolder(found.common), 'objects'))
      throw noHead('Its .git/objects leads to another folder.')
    if (existsSync(join(objects, 'info/alternates')))
      throw noHead('The repository borrows objects from another one.')
    if (isSha256(found) !== store.isSha256)
      throw noHead('The ids of the repository are of another kind than those of the snapshots.')
    const now = await changes.settled()
    const below = relative(found.top, store.workspace)
    const { code, stdout } = await store.git.attempt(
      ['rev-parse', '--verify', '--quiet', `${head}:${below}`],
      { objects },
    )
    if (code !== 0) throw noHead('The commit that is checked out cannot be read here.')
    const trees = { before: stdout.toString('latin1').trim(), after: now.tree }
    const files = await store.trees.compare(trees.before, trees.after, objects)
    // A commit has no permissions but whether a file is executable.
    const plain = (entry: TreeEntry | null) =>
      entry && { ...entry, mode: entry.kind === 'link' ? 0 : EMPTY_META.usual[entry.kind] }
    const listed = files.map(({ path, before, after }) => ({
      path,
      before: plain(before),
      after: plain(after),
    }))
    return this.#diff(trees, { files: listed, folders: [], left: [] }, options, objects)
  }

  async #diff(
    trees: { before: string; after: string },
    difference: StateDifference,
    { file, context = CONTEXT }: DiffOptions,
    objects?: string,
  ): Promise<Diff> {
    const { git, workspace } = this.#workspace.store
    const from = objects === undefined ? {} : { objects }
    const { files: all, totals } = await summarise(git, trees, difference, { workspace, ...from })
    const files = file === undefined ? all : all.filter(({ path }) => path === file)
    const patch = await this.#patch(trees, context, from)
    const modes = new Map(difference.files.map((one) => [shownPath(one.path), one]))
    const listed = files.slice(0, MAX_FILES).map((one): DiffFile => {
      const section = patch.get(one.path)
      return {
        ...one,
        hunks: section?.hunks ?? [],
        ...(section?.isBinary && { isBinary: true }),
        ...(section?.isBinary && mediaTypeOf(one.path) !== null && { isImage: true }),
        ...(section?.isTruncated && { isTruncated: true }),
        ...changedModes(modes.get(one.path)),
      }
    })
    return { files: listed, totals: file === undefined ? totals : totalsOf(files), changeIds: [] }
  }

  /** By the name of the file after the change, or before it where it is gone. */
  async #patch(trees: { before: string; after: string }, context: number, from: { objects?: string }) {
    const { git } = this.#workspace.store
    const found = new Map<string, PatchSection>()
    if (trees.before === trees.after) return found
    const range = [...PLAIN_DIFF, trees.before, trees.after]
    const atEnd = from.objects === undefined ? [] : ['--ignore-cr-at-eol']
    const print = ['diff-tree', '-r', '-p', `-U${context}`, ...atEnd, ...range]
    const patch = await git.run(print, { ...from, maxBytes: MAX_PATCH_BYTES }).catch(tooLarge)
    for (const section of readPatch(patch)) {
      const path = shownPath(section.path)
      const first = found.get(path)
      found.set(path, first ? { ...section, hunks: [...first.hunks, ...section.hunks] } : section)
    }
    return found
  }

  async picture(
    difference: StateDifference,
    file: string,
    side: 'before' | 'after',
  ): Promise<ChangedPicture> {
    const mediaType = mediaTypeOf(file)
    const entry = difference.files.find(({ path }) => path === bytePathOf(file))?.[side]
    if (mediaType === null)
      throw new HubError('change_not_found', 'This file is no picture that can be shown.')
    const data = entry ? await this.#workspace.store.trees.read(entry.id) : null
    if (data && data.length > MAX_PICTURE_BYTES)
      throw new HubError('body_too_large', 'The picture is too large to be shown.')
    return { mediaType, data: data?.toString('base64') ?? null }
  }
}

function changedModes(file: FileDifference | undefined): Pick<DiffFile, 'modes'> {
  const before = file?.before ?? file?.after
  const after = file?.after ?? file?.before
  if (!before || !after || before.kind === 'link' || after.kind === 'link') return {}
  // A program that is new, or gone, has to be one again where the patch is applied.
  const isProgram = (file?.before === null || file?.after === null) && after.kind === 'program'
  if (before.mode === after.mode && !isProgram) return {}
  return { modes: { before: before.mode.toString(8), after: after.mode.toString(8) } }
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** Not SVG: it is text, and can hold scripts. */
function mediaTypeOf(path: string): string | null {
  return MEDIA_TYPES[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? null
}

function noHead(message: string): HubError {
  return new HubError('change_not_found', `Cannot compare with HEAD. ${message}`)
}

function gone(cause: unknown): never {
  throw new HubError(
    'checkpoint_missing',
    'The snapshots of this change are gone: they were deleted by retention (snapshots.days, maxStoreMegabytes), or restored from a backup, which has none.',
    {},
    { cause },
  )
}

function tooLarge(cause: unknown): never {
  throw new HubError(
    'body_too_large',
    'The diff is too large to be shown. Choose a call, or a file.',
    {},
    { cause },
  )
}
