/** `directory_lister`: lists a folder and everything below it, or searches there. */

import { z } from 'zod'
import type { Clock } from '../../lib/clock.js'
import { HeldFolder } from '../file/held-folder.js'
import { locate, type Place } from '../file/place.js'
import { createNameQuery, type NameQuery } from '../listing/name-query.js'
import { type WalkedEntry, type WalkReport, walk } from '../listing/walk.js'
import { defineTool, type Tool, ToolFailure } from '../tool.js'

const MAX_SHOWN = 1_000
const MAX_TEXT = 48 * 1024
const MAX_VISITED = 2_000_000
const MAX_MS = 20_000
const MAX_PATTERNS = 100
const MAX_PATTERN_LENGTH = 1_000
/** Names that are tested together: to start the test of a regular expression costs as much as testing hundreds. */
const QUERY_BATCH = 2_000

const Input = z.object({
  targetPath: z.string().optional().describe('Directory path to list'),
  depth: z.number().optional().describe('Maximum depth for listing'),
  excludePatterns: z.array(z.string()).optional().describe('Patterns to exclude'),
  query: z.string().optional().describe('Search query'),
  searchMode: z.enum(['substring', 'glob', 'regex']).optional().describe('Search mode'),
})

export function createDirectoryLister(clock: Clock): Tool {
  return defineTool({
    name: 'directory_lister',
    isRepeatable: true,
    description:
      'Lists a folder of the workspace and what is below it, nearest first, without what .gitignore hides; with a query ' +
      'only what is found. A query is a piece of a name (substring, the default), a glob or a regular expression; with a ' +
      '"/" in it, of the path. Shows 1000 entries at most: "/" marks folders, "@" links.',
    input: Input,
    annotations: { title: 'List a folder', readOnlyHint: true, openWorldHint: false },
    async run(args, { workspace, signal }) {
      const { targetPath = '.', depth, excludePatterns = [], searchMode = 'substring' } = args
      expectDepth(depth)
      expectPatterns(excludePatterns)
      const query = args.query ? createNameQuery(args.query, searchMode) : null
      const start = await locate(workspace, targetPath)
      await expectFolder(start)
      const end = clock.now() + MAX_MS
      const report: WalkReport = { unreadable: 0, hidden: 0, isComplete: true }
      const entries = walk(
        start,
        {
          depth: depth ?? null,
          excludePatterns,
          signal,
          mayGoOn: (visited) => visited < MAX_VISITED && clock.now() < end,
        },
        report,
      )
      const found = await collect(entries, query)
      return present(found, report, start.names.length === 0 ? 'the workspace' : start.shown, query !== null)
    },
  })
}

function expectDepth(depth: number | undefined): void {
  if (depth !== undefined && (!Number.isInteger(depth) || depth < 1)) {
    throw new ToolFailure(`depth counts levels from 1; ${depth} does not.`)
  }
}

function expectPatterns(patterns: readonly string[]): void {
  const isTooMuch =
    patterns.length > MAX_PATTERNS || patterns.some((pattern) => pattern.length > MAX_PATTERN_LENGTH)
  if (isTooMuch) {
    throw new ToolFailure(
      `excludePatterns has more than ${MAX_PATTERNS} patterns, or one of more than ${MAX_PATTERN_LENGTH} characters.`,
    )
  }
}

/** A folder that is not there is a failure, while one that vanishes below it is only left out. */
async function expectFolder({ root, names }: Place): Promise<void> {
  const folder = await HeldFolder.open(root, names)
  await folder.close()
}

interface Found {
  lines: string[]
  hasMore: boolean
}

/** Stops as soon as there is more than can be shown. */
async function collect(
  pieces: AsyncIterable<readonly WalkedEntry[]>,
  query: NameQuery | null,
): Promise<Found> {
  const found: Found = { lines: [], hasMore: false }
  let length = 0
  let waiting: WalkedEntry[] = []

  function take(entries: readonly WalkedEntry[]): void {
    const matches = query?.(entries)
    for (const [index, entry] of entries.entries()) {
      if (matches && !matches[index]) continue
      const line = lineOf(entry)
      length += line.length + 1
      found.hasMore ||= found.lines.length >= MAX_SHOWN || length > MAX_TEXT
      if (found.hasMore) return
      found.lines.push(line)
    }
  }

  for await (const piece of pieces) {
    for (const entry of piece) waiting.push(entry)
    if (query && waiting.length < QUERY_BATCH) continue
    take(waiting)
    waiting = []
    if (found.hasMore) return found
  }
  take(waiting)
  return found
}

function lineOf({ folder, name, kind }: WalkedEntry): string {
  const path = [...folder, name].join('/')
  // A name may hold a line break or worse.
  const shown = /\p{Cc}/u.test(path) ? JSON.stringify(path) : path
  return kind === 'folder' ? `${shown}/` : kind === 'link' ? `${shown}@` : shown
}

function present({ lines, hasMore }: Found, report: WalkReport, shown: string, isSearch: boolean) {
  const notes: string[] = []
  if (lines.length === 0)
    notes.push(isSearch ? `Nothing was found in ${shown}.` : `There is nothing in ${shown}.`)
  if (hasMore) {
    notes.push(
      `Only the first ${lines.length} are shown. Narrow it down with targetPath, depth, excludePatterns or query.`,
    )
  } else if (!report.isComplete) {
    notes.push('There was too much to look through all of it. Narrow it down with targetPath or depth.')
  }
  if (report.hidden > 0 && lines.length === 0) notes.push(`${report.hidden} entries are ignored or excluded.`)
  if (report.unreadable > 0) notes.push(`${report.unreadable} folders could not be read.`)
  const parts = [lines.join('\n'), notes.length > 0 ? `[${notes.join(' ')}]` : '']
  return parts.filter((part) => part !== '').map((text) => ({ type: 'text', text }))
}
