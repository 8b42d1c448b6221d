import { expect, test } from 'vitest'
import { mentionsIn, wordsAsPaths } from './mention.js'

test('a mention is found with quotes, a line range or punctuation around it', () => {
  expect(mentionsIn('look at @.env, please')).toContain('.env')
  expect(mentionsIn('(@src/a.ts)')).toContain('src/a.ts')
  expect(mentionsIn('@"my file.txt" and @\'other file\'')).toEqual(
    expect.arrayContaining(['my file.txt', 'other file']),
  )
  expect(mentionsIn('@.env#L1-5')).toContain('.env')
  expect(mentionsIn('@.env:3')).toContain('.env')
  expect(mentionsIn('@~/.ssh/id_rsa.')).toContain('~/.ssh/id_rsa')
  expect(mentionsIn('@@.env')).toContain('.env')
})

test('a text without an @ mentions nothing, but its words may be paths to a skill', () => {
  expect(mentionsIn('fix .env')).toEqual([])
  expect(wordsAsPaths('fix ".env"')).toEqual(expect.arrayContaining(['fix', '.env']))
})

test('reading is linear in the text', () => {
  for (const letter of ['@', '"', "'", '.', '#', ':', 'a', ' ']) {
    const text = `@${letter.repeat(200_000)}`
    expect(mentionsIn(text).length).toBeLessThan(10)
  }
})
