/**
 * Whether an expression takes linear time on every text, judged by its structure. The engine tries alternatives one after the other, so
 * an expression is slow where two ways through it read the same text and what follows can fail: two loops that overlap, a loop in a
 * loop, or a loop in which the whole expression could begin again. Refuses rather more than it must.
 */

import { type Node, parsePattern } from './regex-parser.js'

/** One character of the expression; what may fail without reading one is `null`. */
interface Position {
  readonly reads: ReadonlySet<number> | null
}

interface Fragment {
  first: number[]
  last: number[]
  isNullable: boolean
}

/** Sample characters by which two classes are compared: some of everything that our expressions name. */
const SAMPLE = [
  ...Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)),
  ...'АаЖжΩωԱաᎠあア漢한ไ\u200e\u202a\u2028\u2066\u3000\ue000\ufe0f\ufeff\uff01\u0301\ud800\udc00'.split(''),
  '😀',
]

/** A bounded repetition is tried that often at each position. */
const MAX_BOUND = 500

/** Null: linear. Otherwise why it may not be. */
export function findSlowness(source: string, flags: string): string | null {
  const tree = parsePattern(source)
  if (typeof tree === 'string') return tree
  const refused = findRefused(tree)
  if (refused) return refused
  const graph = buildGraph(tree, flags, flags.includes('y') || (isAnchored(tree) && !flags.includes('m')))
  return findLoopInLoop(graph) ?? findOverlap(graph)
}

function findRefused(node: Node): string | null {
  if (node.kind === 'reference') return 'refers back to a group'
  if (node.kind === 'repeat' && node.max > MAX_BOUND && node.max !== Number.POSITIVE_INFINITY)
    return `has a bound of more than ${MAX_BOUND}`
  if (node.kind === 'look' && hasLoop(node.body)) return 'repeats without a bound inside a lookaround'
  if ('items' in node) return node.items.map(findRefused).find((found) => found !== null) ?? null
  return 'body' in node ? findRefused(node.body) : null
}

function hasLoop(node: Node): boolean {
  if (node.kind === 'repeat' && node.max === Number.POSITIVE_INFINITY) return true
  if ('items' in node) return node.items.some(hasLoop)
  return 'body' in node && hasLoop(node.body)
}

/** Whether it can only begin where the text does. */
function isAnchored(node: Node): boolean {
  if (node.kind === 'assertion') return node.text === '^'
  if (node.kind === 'choice') return node.items.every(isAnchored)
  if (node.kind === 'sequence') return node.items.length > 0 && isAnchored(node.items[0] as Node)
  return node.kind === 'group' && isAnchored(node.body)
}

interface Graph {
  readonly positions: readonly Position[]
  readonly next: readonly ReadonlySet<number>[]
  /** Edges that two loops make at once. */
  readonly doubled: readonly (readonly [number, number])[]
  readonly accepting: ReadonlySet<number>
}

/** The positions of the expression and what may follow each. The first one stands for "begin anywhere" where that is possible. */
function buildGraph(tree: Node, flags: string, anchored: boolean): Graph {
  const positions: Position[] = [{ reads: anchored ? new Set() : new Set(SAMPLE.keys()) }]
  const next: Set<number>[] = [new Set(anchored ? [] : [0])]
  const doubled: [number, number][] = []

  const add = (reads: Position['reads']): Fragment => {
    const id = positions.push({ reads }) - 1
    next.push(new Set())
    return { first: [id], last: [id], isNullable: false }
  }
  const link = (from: readonly number[], to: readonly number[], isLoop: boolean) => {
    for (const one of from)
      for (const other of to) {
        if (isLoop && next[one]?.has(other)) doubled.push([one, other])
        next[one]?.add(other)
      }
  }
  const EMPTY: Fragment = { first: [], last: [], isNullable: true }
  const join = (before: Fragment, after: Fragment): Fragment => {
    link(before.last, after.first, false)
    return {
      first: before.isNullable ? [...before.first, ...after.first] : before.first,
      last: after.isNullable ? [...before.last, ...after.last] : after.last,
      isNullable: before.isNullable && after.isNullable,
    }
  }
  const build = (node: Node): Fragment => {
    switch (node.kind) {
      case 'class':
        return add(charactersOf(node.text, flags))
      case 'assertion':
      case 'look':
      case 'reference':
        // It may fail, which is what makes the engine go back.
        return node.kind === 'assertion' && node.text === '^' ? EMPTY : add(null)
      case 'group':
        return build(node.body)
      case 'choice': {
        const parts = node.items.map(build)
        return {
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
          isNullable: parts.some(({ isNullable }) => isNullable),
        }
      }
      case 'sequence':
        return node.items.map(build).reduce(join, EMPTY)
      case 'repeat': {
        const body = build(node.body)
        if (node.max === Number.POSITIVE_INFINITY) link(body.last, body.first, true)
        return { ...body, isNullable: body.isNullable || node.min === 0 }
      }
    }
  }
  const whole = build(tree)
  link([0], whole.first, false)
  const accepting = new Set(whole.last)
  return { positions, next, doubled, accepting }
}

const classes = new Map<string, ReadonlySet<number>>()

function charactersOf(text: string, flags: string): ReadonlySet<number> {
  const kept = flags.replaceAll(/[gy]/g, '')
  const key = `${kept}/${text}`
  const known = classes.get(key)
  if (known) return known
  const expression = new RegExp(`^(?:${text})$`, kept.replace('m', ''))
  const found = new Set([...SAMPLE.keys()].filter((index) => expression.test(SAMPLE[index] ?? '')))
  classes.set(key, found)
  return found
}

/** Positions from which the loop around them can be run again and again while the expression is not yet satisfied. */
function loopsOf({ next, accepting }: Graph): Map<number, ReadonlySet<number>> {
  const reach = (from: number): Set<number> => {
    const seen = new Set<number>()
    const open = [from]
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const other of next[at] ?? [])
        if (!seen.has(other) && !(accepting.has(other) && other !== 0)) {
          seen.add(other)
          open.push(other)
        }
    return seen
  }
  const reached = next.map((_, from) => reach(from))
  const loops = new Map<number, ReadonlySet<number>>()
  for (const [from, seen] of reached.entries())
    if (seen.has(from)) loops.set(from, new Set([...seen].filter((other) => reached[other]?.has(from))))
  return loops
}

function findLoopInLoop(graph: Graph): string | null {
  const loops = loopsOf(graph)
  if (graph.doubled.some(([from, to]) => loops.get(from)?.has(to))) return 'has a loop directly in a loop'
  for (const [start, members] of loops)
    if (start !== 0 && canSplit(graph, start, members)) return 'has two ways through one loop'
  return null
}

/** Whether two different ways lead from a position back to itself with the same text. */
function canSplit(graph: Graph, start: number, members: ReadonlySet<number>): boolean {
  const seen = new Set<string>()
  const open: [number, number, boolean][] = [[start, start, false]]
  for (let at = open.pop(); at; at = open.pop()) {
    const [one, other, isSplit] = at
    for (const a of stepsIn(graph, one, members))
      for (const b of stepsIn(graph, other, members)) {
        if (!meet(graph, a, b)) continue
        const split = isSplit || a !== b
        if (split && a === start && b === start) return true
        const key = `${a},${b},${split}`
        if (seen.has(key)) continue
        seen.add(key)
        open.push([a, b, split])
      }
  }
  return false
}

/** Two loops, the second behind the first, that the same text can run through: with the first being also "begin anywhere". */
function findOverlap(graph: Graph): string | null {
  const loops = loopsOf(graph)
  const all = new Set(graph.next.keys())
  for (const [p, first] of loops)
    for (const [q, second] of loops) {
      if (p === q || !canPump(graph, { p, q, first, second, all })) continue
      return p === 0 ? 'can begin again inside its own loop' : 'has two loops that overlap'
    }
  return null
}

interface Pump {
  p: number
  q: number
  first: ReadonlySet<number>
  second: ReadonlySet<number>
  all: ReadonlySet<number>
}

/** Whether one text leads from `p` to `p`, from `p` to `q` and from `q` to `q`. */
function canPump(graph: Graph, { p, q, first, second, all }: Pump): boolean {
  const seen = new Set<string>()
  const open: [number, number, number][] = [[p, p, q]]
  for (let at = open.pop(); at; at = open.pop()) {
    const [x, y, z] = at
    for (const c of stepsIn(graph, z, second))
      for (const a of stepsIn(graph, x, first)) {
        if (!meet(graph, a, c)) continue
        for (const b of stepsIn(graph, y, all)) {
          if (!meet(graph, a, b, c)) continue
          if (a === p && b === q && c === q) return true
          const key = `${a},${b},${c}`
          if (seen.has(key)) continue
          seen.add(key)
          open.push([a, b, c])
        }
      }
  }
  return false
}

/** The next characters that can be read. Assertions are skipped: they are assumed to match. */
function stepsIn(graph: Graph, from: number, members: ReadonlySet<number>): number[] {
  const found = new Set<number>()
  const seen = new Set<number>()
  const open = [from]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const other of graph.next[at] ?? []) {
      if (!members.has(other) || seen.has(other)) continue
      seen.add(other)
      if (graph.positions[other]?.reads) found.add(other)
      else open.push(other)
    }
  return [...found]
}

function meet({ positions }: Graph, ...ids: readonly number[]): boolean {
  const [smallest = new Set<number>(), ...others] = ids
    .map((id) => positions[id]?.reads ?? new Set<number>())
    .toSorted((one, other) => one.size - other.size)
  for (const code of smallest) if (others.every((other) => other.has(code))) return true
  return false
}
