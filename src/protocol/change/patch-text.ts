/** A diff as the text of a patch, which git and `patch` can apply. Pure. */

import type { DiffFile } from './diff.js'

export function patchText(files: readonly DiffFile[]): string {
  return files.map(patchOf).join('')
}

export function patchOf(file: DiffFile): string {
  const { path, from = path, hunks, isBinary, kind } = file
  if (kind === 'folder') return ''
  // Text between files, which git and `patch` pass over. With lines missing the file would be damaged.
  if (file.isTruncated || isReplaced(file))
    return `${name('', path)} is not in this patch: it cannot be shown as a whole.\n`
  const head = [`diff --git ${name('a/', from)} ${name('b/', path)}`, ...modesOf(file)]
  if (isBinary) head.push(`Binary files ${name('a/', from)} and ${name('b/', path)} differ`)
  if (hunks.length > 0) {
    head.push(`--- ${file.change === 'added' ? '/dev/null' : name('a/', from)}`)
    head.push(`+++ ${file.change === 'deleted' ? '/dev/null' : name('b/', path)}`)
  }
  const body = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ])
  return `${[...head, ...body].join('\n')}\n`
}

/** A file in the place of a link, or the other way round, is shown as one deleted and one made. */
function isReplaced({ change, hunks: [first, second] }: DiffFile): boolean {
  return change === 'changed' && first?.newStart === 0 && first.newLines === 0 && second?.oldStart === 0
}

/** A name that is quoted keeps its quotes around the whole. */
function name(prefix: string, path: string): string {
  return path.startsWith('"') ? `"${prefix}${path.slice(1)}` : `${prefix}${path}`
}

function modesOf({ path, from, change, kind, modes }: DiffFile): string[] {
  const mode = kind === 'link' ? '120000' : gitMode(modes?.after)
  if (change === 'added') return [`new file mode ${mode}`]
  if (change === 'deleted') return [`deleted file mode ${mode}`]
  const [before, after] = [gitMode(modes?.before), gitMode(modes?.after)]
  return [
    ...(before === after ? [] : [`old mode ${before}`, `new mode ${after}`]),
    ...(change === 'renamed' ? [`rename from ${from}`, `rename to ${path}`] : []),
  ]
}

function gitMode(bits: string | undefined): string {
  return bits !== undefined && (Number.parseInt(bits, 8) & 0o100) !== 0 ? '100755' : '100644'
}
