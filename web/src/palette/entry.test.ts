import { expect, test } from 'vitest'
import { type PaletteEntry, rankEntries, type Section } from './entry.js'

const entry = (section: Section, label: string, detail = ''): PaletteEntry => ({
  id: label,
  section,
  label,
  detail,
  run: () => {},
})

test('entries are ranked in their section, and the search takes any text', () => {
  const entries = [
    entry('settings', 'Theme: Dark'),
    entry('search', 'Search messages'),
    entry('sessions', 'Dockyard', '/work/harbour'),
    entry('sessions', 'Old dark page', '/work/web'),
  ]
  const found = (text: string) => rankEntries(entries, text).map(({ label }) => label)

  expect(found('')).toEqual(['Dockyard', 'Old dark page', 'Theme: Dark', 'Search messages'])
  expect(found('dark')).toEqual(['Old dark page', 'Dockyard', 'Theme: Dark', 'Search messages'])
  expect(found('harbour')).toEqual(['Dockyard', 'Search messages'])
  expect(found('zebra')).toEqual(['Search messages'])
})

test('a section shows no more than fits', () => {
  const many = Array.from({ length: 50 }, (_, number) => entry('sessions', `Session ${number}`))

  expect(rankEntries(many, 'session')).toHaveLength(8)
})
