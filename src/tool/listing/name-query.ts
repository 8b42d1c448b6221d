/** What is searched for: a piece of a name, a glob or a regular expression, in bounded time. */

import { createContext, Script } from 'node:vm'
import { ToolFailure } from '../tool.js'
import { compileName, compilePath, expandBraces } from './glob.js'

export type SearchMode = 'substring' | 'glob' | 'regex'

/** Something in a folder; `folder` are the names that lead to the folder from where the search began. */
export interface Candidate {
  folder: readonly string[]
  name: string
}

/** Which of the candidates are meant. */
export type NameQuery = (candidates: readonly Candidate[]) => readonly boolean[]

const MAX_LENGTH = 1_000
const MAX_REGEX_MS = 1_000
const MAX_BATCH_MS = 250

/** Without a "/" in it a query is about the last name of a path, otherwise about the whole path. */
export function createNameQuery(query: string, mode: SearchMode): NameQuery {
  if (query.length > MAX_LENGTH)
    throw new ToolFailure(`query is longer than ${MAX_LENGTH} characters. Use a shorter one.`)
  switch (mode) {
    case 'substring':
      return substringQuery(query)
    case 'glob':
      return globQuery(query)
    case 'regex':
      return regexQuery(query)
  }
}

function subjectOf(query: string): (candidate: Candidate) => string {
  return query.includes('/') ? ({ folder, name }) => [...folder, name].join('/') : ({ name }) => name
}

function substringQuery(query: string): NameQuery {
  const wanted = query.toLowerCase()
  const subject = subjectOf(query)
  return (candidates) => candidates.map((candidate) => subject(candidate).toLowerCase().includes(wanted))
}

function globQuery(query: string): NameQuery {
  const patterns = expandBraces(query)
  if (patterns === null) throw new ToolFailure('The braces of the glob stand for too many patterns.')
  const tests = patterns.map((pattern) => compileGlob(pattern.replace(/^\.?\//, ''), query.includes('/')))
  return (candidates) => candidates.map((candidate) => tests.some((test) => test(candidate)))
}

function compileGlob(pattern: string, isPath: boolean): (candidate: Candidate) => boolean {
  const path = isPath ? compilePath(pattern) : null
  if (path) return ({ folder, name }) => path([...folder, name])
  const last = isPath ? null : compileName(pattern)
  if (last) return ({ name }) => last(name)
  throw new ToolFailure(`${pattern} is not a glob: a "[" is not closed, or a "\\" is the last.`)
}

/**
 * An expression can run for ever, and only the machine below it can stop it. It holds up everything meanwhile, so each
 * batch has little time, and all of them together not much more.
 */
function regexQuery(query: string): NameQuery {
  const subject = subjectOf(query)
  const context = createContext({ source: query, texts: [] as string[] })
  run(context, new Script('expression = new RegExp(source, "u")'), MAX_BATCH_MS)
  const batch = new Script(
    '(() => { const known = expression; return texts.map((text) => known.test(text)) })()',
  )
  let leftMs = MAX_REGEX_MS
  return (candidates) => {
    context['texts'] = candidates.map(subject)
    const start = performance.now()
    const matches = run(context, batch, Math.max(1, Math.min(leftMs, MAX_BATCH_MS))) as boolean[]
    leftMs -= performance.now() - start
    return matches
  }
}

function run(context: ReturnType<typeof createContext>, script: Script, timeoutMs: number): unknown {
  try {
    return script.runInContext(context, { timeout: Math.ceil(timeoutMs) })
  } catch (error) {
    // Errors of the other context are not of our classes.
    const { code: kind, message } = error as { code?: string; message?: string }
    if (kind === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new ToolFailure('The regular expression takes too long. Use a simpler one.')
    }
    throw new ToolFailure(`query is not a regular expression: ${message ?? 'it can not be read'}.`)
  }
}
