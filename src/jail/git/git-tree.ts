/** Objects of git as `git cat-file --batch` prints them. */

export interface GitObject {
  id: string
  type: string
  content: Buffer
}

export interface TreeEntry {
  name: string
  id: string
  isTree: boolean
}

/** Every object that is printed from `start` on. Throws if the output is cut off. */
export function* objectsIn(output: Buffer, start = 0): Generator<GitObject, number> {
  let at = start
  while (at < output.length) {
    const end = output.indexOf('\n', at)
    const [, id = '', type = '', size] =
      /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(output.toString('latin1', at, end)) ?? []
    // A missing object cannot be shown by any other git process either.
    if (size === undefined && output.toString('latin1', at, end).endsWith(' missing')) {
      at = end + 1
      continue
    }
    if (size === undefined) return at
    const from = end + 1
    at = from + Number(size) + 1
    if (at > output.length) throw new Error('The output of git is cut off.')
    yield { id, type, content: output.subarray(from, at - 1) }
  }
  return at
}

export function* entriesIn({ content, id }: GitObject): Generator<TreeEntry> {
  const bytes = id.length / 2
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    if (space < 0 || end < 0) throw new Error('A tree of git could not be read.')
    const mode = content.toString('latin1', at, space)
    yield {
      name: content.toString('utf8', space + 1, end),
      id: content.toString('hex', end + 1, end + 1 + bytes),
      isTree: mode === '40000',
    }
    at = end + 1 + bytes
  }
}

/** The tree that a commit stands for. */
export function treeOf({ content }: GitObject): string | null {
  return /^tree ([0-9a-f]{40,64})\n/.exec(content.toString('latin1', 0, 80))?.[1] ?? null
}
