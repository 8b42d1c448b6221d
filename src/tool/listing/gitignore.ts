/** Rules of a `.gitignore` for the names below its folder. */

import { compileName, compilePath, type NameTest, type PathTest } from './glob.js'

interface Rule {
  isNegated: boolean
  folderOnly: boolean
  /** Either of a name in any folder, or of the path from the folder of the rules. */
  test: { kind: 'name'; matches: NameTest } | { kind: 'path'; matches: PathTest }
}

/** The rules of one folder, and those of the folders above it. */
export interface IgnoreRules {
  readonly rules: readonly Rule[]
  /** How many names lead from the workspace to the folder of these rules. */
  readonly depth: number
  readonly above: IgnoreRules | null
}

const MAX_RULES = 5_000

export function parseIgnoreRules(
  lines: string | readonly string[],
  depth: number,
  above: IgnoreRules | null,
): IgnoreRules {
  const list = typeof lines === 'string' ? lines.replace(/^\ufeff/, '').split(/\r?\n/) : lines
  const rules = list.slice(0, MAX_RULES).flatMap((line) => parseRule(line) ?? [])
  return { rules, depth, above }
}

function parseRule(line: string): Rule | null {
  let pattern = withoutTrailingSpaces(line)
  if (pattern === '' || pattern.startsWith('#')) return null
  const isNegated = pattern.startsWith('!')
  if (isNegated) pattern = pattern.slice(1)
  const folderOnly = pattern.endsWith('/')
  if (folderOnly) pattern = pattern.slice(0, -1)
  if (pattern === '') return null
  if (!pattern.includes('/')) {
    const matches = compileName(pattern)
    return matches && { isNegated, folderOnly, test: { kind: 'name', matches } }
  }
  const matches = compilePath(pattern.replace(/^\//, ''))
  return matches && { isNegated, folderOnly, test: { kind: 'path', matches } }
}

/** Spaces at the end do not count, unless they are escaped. */
function withoutTrailingSpaces(line: string): string {
  let end = 0
  for (let place = 0; place < line.length; place += 1) {
    if (line[place] === ' ') continue
    if (line[place] === '\\') place += 1
    end = place + 1
  }
  return line.slice(0, end)
}

/** Whether a name is ignored; `folder` are the names that lead to it from the workspace. The nearest rule decides. */
export function isIgnored(
  ignoreRules: IgnoreRules | null,
  folder: readonly string[],
  name: string,
  isFolder: boolean,
): boolean {
  for (let level = ignoreRules; level !== null; level = level.above) {
    const { rules, depth } = level
    let path: readonly string[] | null = null
    for (let index = rules.length - 1; index >= 0; index -= 1) {
      const rule = rules[index]
      if (!rule || (rule.folderOnly && !isFolder)) continue
      if (rule.test.kind === 'path') path ??= [...folder.slice(depth), name]
      const matches = rule.test.kind === 'name' ? rule.test.matches(name) : rule.test.matches(path ?? [])
      if (matches) return !rule.isNegated
    }
  }
  return false
}
