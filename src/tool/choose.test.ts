import { expect, test } from 'vitest'
import { chooseTools } from './choose.js'

const known = ['file_reader', 'datetime']

test.each([
  [undefined, { builtIn: undefined, ours: known }],
  [[], { builtIn: [], ours: [] }],
  [['Read', 'datetime'], { builtIn: ['Read'], ours: ['datetime'] }],
  [
    ['mcp__signalbox__file_reader', 'mcp__other__datetime'],
    { builtIn: ['mcp__other__datetime'], ours: ['file_reader'] },
  ],
])('of %j an agent gets', (names, chosen) => {
  expect(chooseTools(names, known)).toEqual(chosen)
})
