/**
 * The public API as text: each export of an entry point with its declaration, and the types of ours that these refer to.
 * Read from the declarations that the compiler emits, without comments and paths, so that moving a file changes nothing.
 */

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Schemas of whole tables are too long to be reviewed: the documents generated from them show what has changed. */
const MAX_CHARACTERS = 8_000

interface Declared {
  readonly file: string
  readonly name: string
  readonly text: string
}

interface Module {
  /** By name; a schema and its type share one. */
  readonly declarations: ReadonlyMap<string, readonly string[]>
  /** Local name to file and the name there: imports and re-exports. */
  readonly links: ReadonlyMap<string, { file: string; name: string }>
  /** Names that it exports, in order. */
  readonly exported: readonly string[]
}

/** `entry`: the declaration file of an entry point. */
export function reportApi(entry: string): string {
  const modules = new Map<string, Module>()
  const load = (file: string): Module => {
    const known = modules.get(file) ?? readModule(file)
    modules.set(file, known)
    return known
  }
  const find = (file: string, name: string): Declared | null => {
    const { declarations, links } = load(file)
    const own = declarations.get(name)
    if (own) return { file, name, text: own.join('\n') }
    const link = links.get(name)
    return link ? find(link.file, link.name) : null
  }

  const names = load(entry).exported.toSorted(byCode)
  const exports = names.map((name) => {
    const found = find(entry, name)
    if (!found) throw new Error(`No declaration of ${name} below ${entry}.`)
    return found
  })
  const seen = new Set(exports.map(keyOf))
  const referred: Declared[] = []
  for (const from of exports) visit(from)
  function visit({ file, text }: Declared): void {
    for (const [name] of text.matchAll(/\b[A-Za-z_]\w*\b/g)) {
      const found = find(file, name)
      if (!found || seen.has(keyOf(found))) continue
      seen.add(keyOf(found))
      referred.push(found)
      visit(found)
    }
  }

  return [
    ...exports.map(({ text }) => shorten(text)),
    '// Not exported, but part of the types above.',
    ...referred.map(({ text }) => shorten(text)).toSorted(byCode),
    '',
  ].join('\n\n')
}

function readModule(file: string): Module {
  const declarations = new Map<string, string[]>()
  const links = new Map<string, { file: string; name: string }>()
  const exported: string[] = []
  for (const statement of statementsOf(readFileSync(file, 'utf8'))) {
    const list = /^(import|export) (?:type )?\{([^}]*)\}(?: from '([^']+)')?/.exec(statement)
    if (list) {
      const [, verb, items = '', from] = list
      for (const item of items.split(',').map((part) => part.trim().replace(/^type /, ''))) {
        if (item === '') continue
        const [name = '', alias = name] = item.split(' as ')
        if (verb === 'export') exported.push(alias)
        if (from?.startsWith('.') === true) links.set(alias, { file: declarationFile(file, from), name })
        else if (verb === 'export' && alias !== name) links.set(alias, { file, name })
      }
      continue
    }
    const named =
      /^(export )?(?:declare )?(?:abstract )?(?:const|let|function|class|interface|type|enum) (\w+)/.exec(
        statement,
      )
    if (!named?.[2]) continue
    if (named[1] !== undefined) exported.push(named[2])
    declarations.set(named[2], [...(declarations.get(named[2]) ?? []), normalise(statement)])
  }
  return { declarations, links, exported: [...new Set(exported)] }
}

/** The compiler indents what is inside a statement, so one begins wherever a line begins with a letter. */
function statementsOf(text: string): string[] {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .split(/^(?=[a-z])/m)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function normalise(statement: string): string {
  return statement
    .replaceAll(/import\("[^"]*"\)\./g, '')
    .replaceAll(/^\s*#private;\n/gm, '')
    .replaceAll(/^\s*\n/gm, '')
    .replaceAll('    ', '  ')
    .replace(/^export /, '')
    .replace(/^declare /, '')
}

function shorten(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return `${text.slice(0, text.indexOf('\n'))} … // ${text.length} characters, ${digest}`
}

function declarationFile(from: string, specifier: string): string {
  const file = join(dirname(from), specifier.replace(/\.js$/, '.d.ts'))
  if (!existsSync(file)) throw new Error(`${from} refers to ${specifier}, which has no declarations.`)
  return file
}

const keyOf = ({ file, name }: Declared) => `${file}#${name}`
const byCode = (one: string, other: string) => (one < other ? -1 : Number(one > other))
