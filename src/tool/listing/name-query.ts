/** A search for names: a substring, a glob or a regular expression, in bounded time. */

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
const MAX_TRIES = 20

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
 * ReDoS: an expression can run for ever, only the VM can stop it, and it blocks the event loop meanwhile. So each batch
 * has a short timeout, and all of them together not much more. CPU time is counted, not the time that it waited on a
 * busy machine.
 */
function regexQuery(query: string): NameQuery {
  const subject = subjectOf(query)
  const context = createContext({ source: query, texts: [] as string[] })
  let leftMs = MAX_REGEX_MS
  const run = (script: Script): unknown => {
    for (let tries = 0; tries < MAX_TRIES && leftMs > 0; tries += 1) {
      const before = cpuMs()
      const result = runBriefly(context, script)
      const usedMs = cpuMs() - before
      leftMs -= usedMs
      if (result !== TIMED_OUT) return result
      if (usedMs > MAX_BATCH_MS / 2) break
    }
    throw new ToolFailure('The regular expression takes too long. Use a simpler one.')
  }
  run(new Script('expression = new RegExp(source, "u")'))
  const batch = new Script(
    '(() => { const known = expression; return texts.map((text) => known.test(text)) })()',
  )
  return (candidates) => {
    context['texts'] = candidates.map(subject)
    return run(batch) as boolean[]
  }
}

const TIMED_OUT = Symbol('timed out')

function runBriefly(context: ReturnType<typeof createContext>, script: Script): unknown {
  try {
    return script.runInContext(context, { timeout: MAX_BATCH_MS })
  } catch (error) {
    // Errors of the other context are not of our classes.
    const { code: kind, message } = error as { code?: string; message?: string }
    if (kind === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return TIMED_OUT
    throw new ToolFailure(`query is not a regular expression: ${message ?? 'it cannot be read'}.`)
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
