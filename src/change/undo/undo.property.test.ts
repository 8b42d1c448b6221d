/**
 * Undo of any subset of calls leaves the bytes that an independent model predicts, and never loses what a user wrote.
 * The full run (`npm run chaos:undo`) has 10,000 undos.
 */

import { expect, test } from 'vitest'
import { type Delta, deltaBetween, type World, withoutDeltas } from '../../../test/support/undo-model.js'
import {
  act,
  materialise,
  picture,
  pictureOfDisk,
  type Random,
  randomFrom,
} from '../../../test/support/undo-world.js'
import { aCall, makeWorkspace } from '../../../test/support/workspace.js'
import { createIdSource } from '../../lib/id.js'
import { Undo, type UndoneChange, type UndoneData } from './undo.js'

const IS_FULL = process.env['CHAOS'] === 'full'
const WORLDS = Number(process.env['WORLDS'] ?? (IS_FULL ? 500 : 2))
const UNDOS = IS_FULL ? 20 : 10
const SEED = Number(process.env['SEED'] ?? 1)
const KIM = { who: 'kim', via: 'cli' } as const

interface Done {
  /** The number of what was done first after it began. */
  since: number
  delta: Delta
  changes: UndoneChange[]
}

class Refused extends Error {}

async function play(seed: number, counts: { undone: number; conflicts: number }): Promise<void> {
  const random = randomFrom(seed)
  const { root, workspace, records } = await makeWorkspace()
  const undone: UndoneData[] = []
  const undo = new Undo(workspace, {
    ids: createIdSource(),
    append: async (_, data) => void undone.push(data),
  })
  let world: World = new Map()
  let count = 0
  let done: Done[] = []
  const become = (next: World) => {
    materialise(root, world, next)
    world = next
  }
  const actAs = (who: string, times: number) => {
    let next = world
    for (let left = times; left > 0; left -= 1) next = act(next, random, who, count++)
    become(next)
  }
  actAs('u', 12)
  for (let round = 0; round < UNDOS; round += 1) {
    for (let calls = 1 + random(4); calls > 0; calls -= 1) {
      if (random(3) === 0) actAs('u', 1)
      const before = world
      const since = count
      const toolUseId = `call${count}`
      await workspace.changes.before(aCall(toolUseId))
      actAs('agent', 1 + random(2))
      await workspace.changes.after({ sessionId: 'ses_1', toolUseId })
      const own = records.filter(({ data }) => data.toolUseIds.includes(toolUseId)).map(({ data }) => data)
      done = [...done, { since, delta: deltaBetween(before, world), changes: own }].slice(-8)
    }
    if (random(2) === 0) actAs('u', 1)
    const chosen = choose(done, random)
    const expected = withoutDeltas(
      world,
      chosen.map(({ delta }) => delta),
    )
    const request = { sessionId: 'ses_1', changes: chosen.flatMap(({ changes }) => changes), only: null }
    const result = await undo
      .carryOut(request, { by: KIM, isRedo: false }, ({ plan }) => {
        if (plan.conflicts.length > 0) throw new Refused()
      })
      .catch((error: unknown) => {
        if (error instanceof Refused) return null
        throw error
      })
    const where = `seed ${seed}, undo ${round}`
    expect(result === null, `conflict in ${where}`).toBe(expected === null)
    expect(pictureOfDisk(root), where).toEqual(picture(expected ?? world))
    const since = Math.min(...chosen.map((one) => one.since))
    const restored = new Set(chosen.flatMap(restoredLines))
    const lost = lostLines(world, pictureOfDisk(root), since).filter((line) => !restored.has(line))
    expect(lost, where).toEqual([])
    if (expected === null || result === null) counts.conflicts += 1
    else {
      counts.undone += 1
      done = [...done, { since: count, delta: deltaBetween(world, expected), changes: [result] }].slice(-8)
      world = expected
    }
  }
}

/** Often the newest, sometimes any, and sometimes an earlier undo, which is a redo. */
function choose(done: readonly Done[], random: Random): readonly Done[] {
  const last = done.slice(-1 - random(3))
  if (random(3) > 0) return last
  const some = done.filter(() => random(3) === 0)
  return some.length > 0 ? some : last
}

/** Lines that the user wrote since then, and that are nowhere any more. */
function lostLines(before: World, disk: Record<string, string>, since: number): string[] {
  const text = Object.values(disk).join('\n')
  const lines = [...before.values()].flatMap((node) => (node.kind === 'text' ? node.slots : []))
  const isLater = (line: string) => Number(/^u(\d+)/.exec(line)?.[1] ?? -1) >= since
  return lines.filter((line) => isLater(line) && !text.includes(line))
}

/** An undo restored these, and its redo deletes them again, as the agent did. */
function restoredLines({ delta }: Done): string[] {
  return [...delta.values()].flatMap(({ before, after }) => {
    const old = before?.kind === 'text' ? before.slots : []
    return after?.kind === 'text' ? after.slots.filter((line) => !old.includes(line)) : []
  })
}

test(
  'undo of any subset of calls is what the model predicts',
  async () => {
    const counts = { undone: 0, conflicts: 0 }

    for (let world = 0; world < WORLDS; world += 1) await play(SEED + world, counts)

    const all = counts.undone + counts.conflicts
    if (IS_FULL) process.stdout.write(`${all} undos, ${counts.conflicts} conflicts\n`)
    expect(all).toBe(WORLDS * UNDOS)
    expect(counts.conflicts / all).toBeGreaterThanOrEqual(IS_FULL ? 0.2 : 0.1)
    expect(counts.undone / all).toBeGreaterThanOrEqual(0.5)
  },
  IS_FULL ? 6 * 3_600_000 : 120_000,
)
