/** Whether two globs can fit the same path. It says yes where it does not know. */

import { spend } from '../step-budget.js'
import { type Glob, isMember } from './glob.js'
import type { Token } from './parse-glob.js'

/** `hidesDots`: as in a shell, no wildcard fits a dot at the start of a name. */
export interface Side {
  glob: Glob
  hidesDots?: boolean
}

/** The condition on the next character. */
type Step =
  | { kind: 'text'; code: number }
  | { kind: 'class'; token: Extract<Token, { kind: 'class' }>; isStart: boolean }
  | { kind: 'name'; isStart: boolean }
  | { kind: 'all' }

interface State {
  steps: { step: Step; to: number }[]
  free: number[]
}

interface Machine {
  states: State[]
  last: number
  hidesDots: boolean
}

const MAX_STATES = 2_000
const MAX_PAIRS = 50_000

export function canMeet(one: Side, other: Side): boolean {
  const first = machineOf(one)
  const second = machineOf(other)
  if (first === null || second === null) return true
  const seen = new Set<number>()
  const waiting: number[] = []
  const size = second.states.length
  const add = (left: number, right: number) => {
    const key = left * size + right
    if (seen.has(key)) return
    seen.add(key)
    waiting.push(key)
  }
  add(0, 0)
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    spend(10)
    if (seen.size > MAX_PAIRS) return true
    const left = Math.floor(key / size)
    const right = key % size
    if (left === first.last && right === second.last) return true
    const here = first.states[left] as State
    const there = second.states[right] as State
    for (const to of here.free) add(to, right)
    for (const to of there.free) add(left, to)
    for (const mine of here.steps) {
      spend(there.steps.length)
      for (const theirs of there.steps) {
        if (overlap(mine.step, theirs.step, first.hidesDots, second.hidesDots)) add(mine.to, theirs.to)
      }
    }
  }
  return false
}

function overlap(one: Step, other: Step, oneHides: boolean, otherHides: boolean): boolean {
  if (one.kind === 'text') return takes(other, one.code, otherHides)
  if (other.kind === 'text') return takes(one, other.code, oneHides)
  // Two kinds of wildcards have some character in common, or it does not matter to ask.
  return true
}

function takes(step: Step, code: number, hidesDots: boolean): boolean {
  switch (step.kind) {
    case 'text':
      return step.code === code
    case 'all':
      return true
    case 'name':
      return code !== SLASH && !(hidesDots && step.isStart && code === DOT)
    case 'class':
      spend(step.token.ranges.length / 4)
      return isMember(step.token, code) && !(hidesDots && step.isStart && code === DOT)
  }
}

const SLASH = 0x2f
const DOT = 0x2e

function machineOf({ glob, hidesDots = false }: Side): Machine | null {
  const states: State[] = [{ steps: [], free: [] }]
  const last = build(states, glob.tokens, { at: 0, isStart: true })
  return last === null ? null : { states, last: last.at, hidesDots }
}

interface Place {
  at: number
  isStart: boolean
}

function build(states: State[], tokens: readonly Token[], from: Place): Place | null {
  let place = from
  for (const token of tokens) {
    if (states.length > MAX_STATES) return null
    const next = addToken(states, token, place)
    if (next === null) return null
    place = next
  }
  return place
}

function newState(states: State[]): number {
  spend(4)
  states.push({ steps: [], free: [] })
  return states.length - 1
}

function go(states: State[], from: number, step: Step): number {
  const to = newState(states)
  states[from]?.steps.push({ step, to })
  return to
}

function loop(states: State[], at: number, step: Step): void {
  states[at]?.steps.push({ step, to: at })
}

function jump(states: State[], from: number, to: number): void {
  states[from]?.free.push(to)
}

function addToken(states: State[], token: Token, { at, isStart }: Place): Place | null {
  switch (token.kind) {
    case 'text': {
      let place = at
      for (const character of token.text) {
        if (states.length > MAX_STATES) return null
        place = go(states, place, { kind: 'text', code: character.codePointAt(0) ?? 0 })
      }
      return { at: place, isStart: token.text.endsWith('/') }
    }
    case 'any':
      return { at: go(states, at, { kind: 'name', isStart }), isStart: false }
    case 'class':
      return { at: go(states, at, { kind: 'class', token, isStart }), isStart: false }
    case 'star': {
      const inside = go(states, at, { kind: 'name', isStart })
      loop(states, inside, { kind: 'name', isStart: false })
      const end = newState(states)
      jump(states, at, end)
      jump(states, inside, end)
      return { at: end, isStart: false }
    }
    case 'all': {
      const after = newState(states)
      jump(states, at, after)
      loop(states, after, { kind: 'all' })
      return { at: after, isStart: false }
    }
    case 'folders': {
      const inside = newState(states)
      jump(states, at, inside)
      loop(states, inside, { kind: 'all' })
      const after = go(states, inside, { kind: 'text', code: SLASH })
      jump(states, at, after)
      return { at: after, isStart: true }
    }
    case 'below': {
      const after = go(states, at, { kind: 'text', code: SLASH })
      loop(states, after, { kind: 'all' })
      const end = newState(states)
      jump(states, at, end)
      jump(states, after, end)
      return { at: end, isStart: false }
    }
    case 'group':
      return addGroup(states, token, { at, isStart })
  }
}

function addGroup(
  states: State[],
  { operator, ways }: Extract<Token, { kind: 'group' }>,
  { at, isStart }: Place,
): Place | null {
  const start = newState(states)
  const end = newState(states)
  jump(states, at, start)
  if (operator === '!') {
    loop(states, start, { kind: 'all' })
    jump(states, start, end)
    return { at: end, isStart: false }
  }
  for (const way of ways) {
    const last = build(states, way, { at: start, isStart })
    if (last === null) return null
    jump(states, last.at, end)
  }
  if (operator === '?' || operator === '*') jump(states, start, end)
  if (operator === '+' || operator === '*') jump(states, end, start)
  return { at: end, isStart: false }
}
