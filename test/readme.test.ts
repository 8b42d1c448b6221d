/** The README and its translations say the same: sections, code, links and pictures stay in step. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LANGUAGES = ['README.md', 'README.ko.md', 'README.ja.md']
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

const original = partsOf(read('README.md'))

test('the README has sections, code and links to compare', () => {
  expect(original.headings.length).toBeGreaterThan(5)
  expect(original.code.length).toBeGreaterThan(5)
  expect(original.sections.flat().length).toBeGreaterThan(10)
})

test.each(LANGUAGES.slice(1))('%s has the sections, code blocks and links of README.md', (name) => {
  expect(partsOf(read(name))).toEqual(original)
})

test.each(LANGUAGES)('%s links to the other languages on top', (name) => {
  const top = read(name).split('\n').slice(0, 4).join('\n')
  const others = LANGUAGES.filter((other) => other !== name)
  expect(others.filter((other) => !top.includes(`](${other})`))).toEqual([])
})

test('the package contains every language', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  // npm always packs README.md.
  expect(LANGUAGES.slice(1).filter((name) => !files.includes(name))).toEqual([])
})

interface Parts {
  /** The level of each heading, in order. */
  headings: number[]
  /** Code blocks, with their language. */
  code: string[]
  /** Targets of links and images by section; their order within a section is that of the language. */
  sections: string[][]
}

function partsOf(text: string): Parts {
  const code = [...text.matchAll(/^```[\s\S]*?^```$/gm)].map(([block]) => block)
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const headings = [...prose.matchAll(/^(#+) /gm)].map(([, marks = '']) => marks.length)
  const sections = prose.split(/^## /m).map((section) =>
    [...section.matchAll(/\]\(([^)]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !LANGUAGES.includes(target))
      .toSorted(),
  )
  return { headings, code, sections }
}
