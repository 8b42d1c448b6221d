import { expect, test } from 'vitest'
import { commandSuggestions, fileSuggestions } from './suggestion.js'

const command = (name: string, description = '') => ({
  name,
  description,
  argumentHint: '',
  kind: 'command' as const,
})
const prompt = (name: string, text: string) => ({
  name,
  text,
  savedAt: '2026-11-15T12:00:00.000Z',
  savedBy: 'kim',
  role: 'operator' as const,
})
const names = (query: string) =>
  commandSuggestions(
    [command('compact', 'Summarise to free context'), command('context'), command('deploy', 'To production')],
    [prompt('review', 'Review it.\nCarefully.')],
    query,
  ).map(({ name }) => name)

test('saved prompts come first, and a query finds names before words of descriptions', () => {
  expect(names('')).toEqual(['/review', '/compact', '/context', '/deploy'])
  expect(names('cont')).toEqual(['/context', '/compact'])
  expect(names('dpl')).toEqual(['/deploy'])
  expect(names('production')).toEqual(['/deploy'])
  expect(names('to')).toEqual([])
})

test('a saved prompt is inserted whole, with its first line as its description', () => {
  expect(commandSuggestions([], [prompt('review', 'Review it.\nCarefully.')], 'rev')).toMatchObject([
    { kind: 'prompt', description: 'Review it.', insert: 'Review it.\nCarefully.' },
  ])
})

test('files are shown by name and folder, and inserted as a mention', () => {
  const file = (path: string) => ({
    path,
    kind: path.endsWith('/') ? ('folder' as const) : ('file' as const),
  })
  const files = ['src/login/form.tsx', 'src/login/', 'README.md', 'a "b".md', '<img src=x>.md'].map(file)

  expect(
    fileSuggestions({ files: [...files, file('typed.ts')] }, 'typed.ts').map(
      ({ name, hint, insert, hasSpace }) => [hint, name, insert, hasSpace],
    ),
  ).toEqual([
    ['src/login/', 'form.tsx', '@src/login/form.tsx', true],
    ['src/', 'login/', '@src/login/', false],
    ['', 'README.md', '@README.md', true],
    ['', '<img src=x>.md', '@"<img src=x>.md"', true],
  ])
})
