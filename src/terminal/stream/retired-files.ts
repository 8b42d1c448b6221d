/** The rotated files of a stream: which are known, how far each was read, and which have lines that were not read. */

import {
  closeQuietly,
  type FileIdentity,
  type FilePosition,
  identify,
  isContinued,
  isSameInode,
  listSiblings,
  openFile,
  placeOf,
  type Sibling,
} from './stream-file.js'

export interface RetiredFile {
  position: FilePosition
  /** Null while its path is unknown. */
  path: string | null
  size: bigint
  misses: number
  /** Rotated after the file that is being followed, so it is read after that one. */
  isNewer: boolean
  /** Index among all rotated files, oldest first. */
  rank: number
}

export class RetiredFiles {
  readonly #streamPath: string
  #retired: RetiredFile[] = []
  #waiting: RetiredFile[] = []

  constructor(streamPath: string) {
    this.#streamPath = streamPath
  }

  get all(): readonly RetiredFile[] {
    return this.#retired
  }

  /** Whether any of them has lines that were not read. */
  get hasUnread(): boolean {
    return this.#waiting.length > 0
  }

  /** The next one with lines that were not read, of those that are older than the followed file. */
  get next(): RetiredFile | null {
    return this.#waiting.find((entry) => !entry.isNewer) ?? null
  }

  /** It has no more lines to read now. */
  drained(entry: RetiredFile): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry)
  }

  /** A file that was followed until now. Its path is found later. */
  add(position: FilePosition): void {
    if (position.offset === 0) return
    this.#retired.push({ position, path: null, size: -1n, misses: 0, isNewer: false, rank: 0 })
  }

  /** Another file is followed from now on: all of these are older. */
  liveChanged(): void {
    for (const entry of this.#waiting) entry.isNewer = false
  }

  /**
   * Looks for files that are new, and for lines written into files after their rotation. `live` is the followed file;
   * `hadMoved`: the path of the stream leads to another one, or to none.
   */
  look(live: FilePosition | null, hadMoved: boolean): void {
    const seen = new Set<RetiredFile>()
    const siblings = listSiblings(this.#streamPath)
    // The followed file may have been rotated itself: files after it are newer. If it is gone, all are.
    const isLive = ({ stats }: Sibling) => live !== null && isSameInode(live, placeOf(stats))
    const liveRank = siblings.findIndex(isLive)
    const isNewer = (rank: number) => (liveRank < 0 ? hadMoved : rank > liveRank)
    // Of two entries with the same inode the first wins.
    const retired = new Map(this.#retired.toReversed().map((entry) => [inodeKey(entry.position), entry]))
    for (const [rank, { path, stats }] of siblings.entries()) {
      if (rank === liveRank) continue
      const found = retired.get(inodeKey(placeOf(stats)))
      if (found && found.path !== null && found.size === stats.size) {
        found.path = path
        seen.add(found)
      } else if (stats.size > 0n) {
        // It may have been replaced by another entry meanwhile.
        const known = found && this.#retired.includes(found) ? found : undefined
        const entry = this.#meet(path, known)
        if (!entry) continue
        seen.add(entry)
        entry.rank = rank
        // A file that was known before is older, however late it was written.
        if (entry !== known) entry.isNewer = isNewer(rank)
      }
    }
    this.#waiting.sort((one, other) => one.rank - other.rank)
    // Drop after two misses: a directory listing may miss a file that is being renamed.
    this.#retired = this.#retired.filter((entry) => {
      entry.misses = seen.has(entry) ? 0 : entry.misses + 1
      return entry.misses < 2
    })
  }

  /** Handles a rotated file that is new or has changed. */
  #meet(path: string, known: RetiredFile | undefined): RetiredFile | null {
    const opened = openFile(path)
    if (!opened) return null
    const { file, stats } = opened
    try {
      const identity = identify(file, stats)
      const entry = this.#recognise(identity, stats.size, known)
      entry.path = path
      entry.size = stats.size
      if (stats.size > BigInt(entry.position.offset) && !this.#waiting.includes(entry))
        this.#waiting.push(entry)
      return entry
    } finally {
      closeQuietly(file)
    }
  }

  #recognise(identity: FileIdentity, size: bigint, known: RetiredFile | undefined): RetiredFile {
    if (known && isContinued(known.position, identity, size)) {
      known.position = { ...identity, offset: known.position.offset }
      return known
    }
    if (known) this.#forget(known)
    // copytruncate: the copy continues at the offset of the original, which was truncated.
    const original = this.#retired.find(
      ({ path, position }) => path === null && position.head !== null && position.head === identity.head,
    )
    if (original) this.#forget(original)
    const offset = original && size >= BigInt(original.position.offset) ? original.position.offset : 0
    const entry: RetiredFile = {
      position: { ...identity, offset },
      path: null,
      size,
      misses: 0,
      isNewer: false,
      rank: 0,
    }
    this.#retired.push(entry)
    return entry
  }

  #forget(entry: RetiredFile): void {
    this.#retired = this.#retired.filter((other) => other !== entry)
    this.#waiting = this.#waiting.filter((other) => other !== entry)
  }

  clear(): void {
    this.#retired = []
    this.#waiting = []
  }
}

function inodeKey({ device, inode }: FileIdentity): string {
  return `${device} ${inode}`
}
