/**
 * A model of files and of undo that knows nothing of git: a text is a row of slots far apart from each other, and a change
 * is undone slot by slot. The product must come to the same bytes.
 */

export type Node =
  | { kind: 'text'; slots: readonly string[]; mode: number }
  | { kind: 'binary'; text: string; mode: number }
  | { kind: 'link'; target: string }

export type World = ReadonlyMap<string, Node>

/** The effect of a call on each file. */
export type Delta = ReadonlyMap<string, { before: Node | null; after: Node | null }>

const FAR = 4

export function contentOf(node: Node): string {
  if (node.kind === 'link') return node.target
  if (node.kind === 'binary') return `\0${node.text}`
  const between = (at: number) => Array.from({ length: FAR }, (_, line) => `-- ${at}.${line}`).join('\n')
  return `${node.slots.map((slot, at) => `${between(at)}\n${slot}`).join('\n')}\n${between(node.slots.length)}\n`
}

export function deltaBetween(before: World, after: World): Delta {
  const delta = new Map<string, { before: Node | null; after: Node | null }>()
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const pair = { before: before.get(path) ?? null, after: after.get(path) ?? null }
    if (!isEqual(pair.before, pair.after)) delta.set(path, pair)
  }
  return delta
}

/** The world without these changes, oldest first; null if that is a conflict. */
export function withoutDeltas(world: World, deltas: readonly Delta[]): World | null {
  const result = new Map(world)
  const changed = new Set<string>()
  for (const path of new Set(deltas.flatMap((delta) => [...delta.keys()]))) {
    let node = world.get(path) ?? null
    for (const { before, after } of runs(path, deltas).toReversed()) {
      const reverted = revertNode(node, before, after)
      if (reverted === undefined) return null
      node = reverted
    }
    if (!isEqual(node, world.get(path) ?? null)) changed.add(path)
    if (node === null) result.delete(path)
    else result.set(path, node)
  }
  return fits(result, changed) ? result : null
}

function runs(path: string, deltas: readonly Delta[]) {
  const all: { before: Node | null; after: Node | null }[] = []
  for (const delta of deltas) {
    const pair = delta.get(path)
    if (!pair) continue
    const last = all.at(-1)
    if (last && isEqual(last.after, pair.before))
      all[all.length - 1] = { before: last.before, after: pair.after }
    else all.push(pair)
  }
  return all
}

/** Undefined: a conflict. */
function revertNode(now: Node | null, before: Node | null, after: Node | null): Node | null | undefined {
  if (isEqual(now, after)) return before
  if (isEqual(now, before) || isEqual(before, after)) return now
  if (!now || !before || !after || now.kind === 'link' || before.kind === 'link' || after.kind === 'link')
    return undefined
  const mode = pick(now.mode, before.mode, after.mode)
  if (mode === undefined) return undefined
  const whole = pick(contentOf(now), contentOf(before), contentOf(after))
  const same = [now, before, after].find((node) => contentOf(node) === whole)
  if (same) return { ...same, mode }
  if (now.kind !== 'text' || before.kind !== 'text' || after.kind !== 'text') return undefined
  if (now.slots.length !== before.slots.length || now.slots.length !== after.slots.length) return undefined
  const slots = now.slots.map((slot, at) => pick(slot, before.slots[at], after.slots[at]))
  return slots.some((slot) => slot === undefined)
    ? undefined
    : { kind: 'text', slots: slots as string[], mode }
}

function pick<Value>(now: Value, before: Value, after: Value): Value | undefined {
  if (now === after) return before
  return after === before || now === before ? now : undefined
}

/** A file cannot be a folder as well. Only where the undo puts something. */
function fits(world: World, changed: ReadonlySet<string>): boolean {
  const folders = new Set<string>()
  for (const path of world.keys())
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at))
  return [...folders].every((folder) => !world.has(folder)) || changed.size === 0
}

function isEqual(one: Node | null, other: Node | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
