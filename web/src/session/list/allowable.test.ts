import { expect, test } from 'vitest'
import type { Explanation, InboxRequest } from '../../../../src/protocol/index.js'
import { canBeAllowedTogether } from './allowable.js'

const request = {
  kind: 'permission',
  state: 'pending',
  plan: null,
  form: null,
  isOnlyInTerminal: false,
} as InboxRequest
const finding = (code: string, verdict = 'ask') =>
  ({ verdict, rule: 'r', reason: '', reasonParts: [{ code, params: {} }] }) as Explanation['findings'][number]
const explained = (...findings: Explanation['findings']) => ({
  verdict: { verdict: 'ask' } as Explanation['verdict'],
  findings,
})
const isAllowable = (...codes: string[]) =>
  canBeAllowedTogether(request, explained(...codes.map((code) => finding(code))))

test('writing files in the workspace and commits can be allowed together', () => {
  expect(isAllowable('file.write.plain')).toBe(true)
  expect(isAllowable('git.stage', 'git.commit')).toBe(true)
})

test.each([
  'file.delete.plain',
  'file.write.protected',
  'git.force-push',
  'git.push',
  'program.deletes',
  'new.code',
])('a call with the finding %s cannot, whatever else is in it', (code) => {
  expect(isAllowable('file.write.plain', code)).toBe(false)
})

test('nor can one without a finding that is understood, a denied one, a plan, a form or a freer agent', () => {
  const plain = finding('file.write.plain')
  const { reasonParts: _, ...unclear } = plain
  expect(isAllowable()).toBe(false)
  expect(canBeAllowedTogether(request, explained(unclear))).toBe(false)
  expect(canBeAllowedTogether(request, explained({ ...plain, reasonParts: [] }))).toBe(false)
  expect(canBeAllowedTogether(request, explained(finding('file.write.plain', 'deny')))).toBe(false)
  expect(canBeAllowedTogether(request, explained({ ...plain, severity: 'serious' }))).toBe(false)
  expect(canBeAllowedTogether(request, explained({ ...plain, severity: 'notice' }))).toBe(true)
  for (const part of [
    { plan: 'Do it' },
    { severity: 'destructive' },
    { freerMode: 'acceptEdits' },
    { isOnlyInTerminal: true },
    { kind: 'question' },
    { state: 'resolved' },
  ])
    expect(canBeAllowedTogether({ ...request, ...part } as InboxRequest, explained(plain))).toBe(false)
})
