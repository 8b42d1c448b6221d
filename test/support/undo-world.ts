/** Plays an agent and a user who change the same files at random, on disk and in the model. */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { contentOf, type Node, type World } from './undo-model.js'

export type Random = (below: number) => number

/** Small and fast, and the same on every machine. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) % below
  }
}

const NAMES = ['a', 'b', 'c', 'd/e', 'd/f', 'd/g/h', 'i/j', 'i/k', 'l'] as const
const SLOTS = 5
const MODES = [0o644, 0o600, 0o755, 0o640] as const

/** One thing that someone does. Most edits are small, as in life. */
export function act(world: World, random: Random, who: string, count: number): World {
  const next = new Map(world)
  const paths = [...next.keys()]
  const some = paths[random(Math.max(1, paths.length))]
  const kind = random(20)
  if (some === undefined || kind < 3) {
    const path = NAMES[random(NAMES.length)] ?? 'a'
    if (isFree(next, path)) next.set(path, freshText(who, count, random))
    return next
  }
  const node = next.get(some)
  if (!node) return next
  if (kind < 13) {
    if (node.kind === 'text') next.set(some, edited(node, who, count, random))
    else if (node.kind === 'binary') next.set(some, { ...node, text: `${who}${count}` })
  } else if (kind === 13) next.delete(some)
  else if (kind === 14)
    for (const path of paths) if (path.startsWith(`${some.split('/')[0]}/`)) next.delete(path)
  if (kind === 15 || kind === 16) move(next, some, NAMES[random(NAMES.length)] ?? 'l')
  if (kind === 17 && node.kind !== 'link')
    next.set(some, { ...node, mode: MODES[random(MODES.length)] ?? 0o644 })
  if (kind === 18) next.set(some, { kind: 'link', target: `to-${who}${random(3)}` })
  if (kind === 19) for (const path of paths) sed(next, path, who, count, random)
  return next
}

function freshText(who: string, count: number, random: Random): Node {
  if (random(8) === 0) return { kind: 'binary', text: `${who}${count}`, mode: 0o644 }
  return {
    kind: 'text',
    slots: Array.from({ length: SLOTS }, (_, at) => `${who}${count} new ${at}`),
    mode: 0o644,
  }
}

function edited(node: Node & { kind: 'text' }, who: string, count: number, random: Random): Node {
  const at = random(SLOTS)
  return { ...node, slots: node.slots.map((slot, index) => (index === at ? `${who}${count}` : slot)) }
}

/** As `sed -i` over several files. */
function sed(world: Map<string, Node>, path: string, who: string, count: number, random: Random): void {
  const node = world.get(path)
  if (node?.kind === 'text' && random(3) > 0) world.set(path, edited(node, who, count, random))
}

function move(world: Map<string, Node>, from: string, to: string): void {
  const node = world.get(from)
  if (!node || from === to || !isFree(world, to)) return
  world.delete(from)
  world.set(to, node)
}

function isFree(world: World, path: string): boolean {
  return ![...world.keys()].some(
    (other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
  )
}

/** Makes the files on disk those of the world. */
export function materialise(root: string, before: World, after: World): void {
  for (const path of before.keys()) if (!after.has(path)) rmSync(join(root, path), { force: true })
  for (const path of before.keys()) if (!after.has(path)) removeEmpty(root, dirname(path))
  for (const [path, node] of after) {
    if (before.get(path) === node) continue
    const whole = join(root, path)
    mkdirSync(dirname(whole), { recursive: true })
    const isLink = lstatSync(whole, { throwIfNoEntry: false })?.isSymbolicLink()
    if (node.kind === 'link' || isLink) rmSync(whole, { force: true })
    if (node.kind === 'link') symlinkSync(node.target, whole)
    else {
      // Some programs write into a file, others put another one in its place.
      const isReplaced = contentOf(node).length % 2 === 0
      writeFileSync(isReplaced ? `${whole}.new` : whole, contentOf(node))
      if (isReplaced) renameSync(`${whole}.new`, whole)
      chmodSync(whole, node.mode)
    }
  }
}

function removeEmpty(root: string, folder: string): void {
  for (let at = folder; at !== '.'; at = dirname(at)) {
    try {
      rmdirSync(join(root, at))
    } catch {
      return
    }
  }
}

/** Path to content and mode, of the world and of the disk. */
export function picture(world: World): Record<string, string> {
  return Object.fromEntries(
    [...world].map(([path, node]) => [
      path,
      node.kind === 'link' ? `-> ${node.target}` : `${node.mode.toString(8)} ${contentOf(node)}`,
    ]),
  )
}

export function pictureOfDisk(root: string, folder = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    const whole = join(root, path)
    if (entry.isDirectory()) Object.assign(found, pictureOfDisk(root, path))
    else if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(whole)}`
    else found[path] = `${(lstatSync(whole).mode & 0o7777).toString(8)} ${readFileSync(whole, 'utf8')}`
  }
  return found
}
