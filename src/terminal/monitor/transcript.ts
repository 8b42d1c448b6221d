/**
 * Reads a session's transcript incrementally. It lags behind the hooks, contains much that is not needed here, and
 * repeats the usage of a message in each of its lines.
 */

import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readSmallFileSync } from '../../lib/file/regular-file.js'
import { asCount, asList, asRecord, asText } from '../../lib/read-json.js'
import { LineReader } from '../stream/line-reader.js'
import { closeQuietly, openFile } from '../stream/stream-file.js'
import type { Tokens, TurnRichData } from './monitor.js'

const READER = { batchBytes: 256 << 10, maxLineBytes: 32 << 20 }
/** Performance: lines without any of these are not parsed. Most of a transcript is copies of requests. */
const WANTED = ['"type":"assistant"', '"type":"user"', '"type":"custom-title"', '"type":"ai-title"']
const INTERRUPTED = '[Request interrupted by user'
const NO_BRANCH = 'HEAD'
const REJECTED = 'User rejected tool use'
const KEPT_CALLS = 200

export class Transcript {
  readonly #path: string
  readonly #main: TranscriptFile
  readonly #agents = new Map<string, { file: TranscriptFile; agentType: string | null }>()

  constructor(path: string) {
    this.#path = path
    this.#main = new TranscriptFile(path)
  }

  /** Reads new lines. Returns whether there were any. */
  refresh(): boolean {
    let isChanged = this.#main.refresh()
    for (const [agentId, path] of this.#agentFiles()) {
      const known = this.#agents.get(agentId) ?? {
        file: new TranscriptFile(path),
        agentType: agentTypeOf(path),
      }
      this.#agents.set(agentId, known)
      isChanged = known.file.refresh() || isChanged
    }
    return isChanged
  }

  #agentFiles(): [string, string][] {
    const folder = join(dirname(this.#path), basename(this.#path, '.jsonl'), 'subagents')
    // Performance: most sessions have no subagents, and an exception costs much more than this check.
    if (!existsSync(folder)) return []
    try {
      return readdirSync(folder).flatMap((name) => {
        const agentId = /^agent-(.+)\.jsonl$/.exec(name)?.[1]
        return agentId === undefined ? [] : [[agentId, join(folder, name)]]
      })
    } catch {
      return []
    }
  }

  get interruptedAt(): number | null {
    return this.#main.interruptedAt
  }

  /** The result of a call, in the session or one of its subagents, and its time; null if unknown. */
  answerOf(toolName: string, input: unknown): Answered | null {
    const found = [this.#main, ...[...this.#agents.values()].map(({ file }) => file)].flatMap(
      (file) => file.answerOf(toolName, input) ?? [],
    )
    return found.toSorted((one, other) => one.at - other.at).at(-1) ?? null
  }

  get data(): TurnRichData {
    const { model, contextTokens, turnCount, gitBranch, title } = this.#main
    const subagents = [...this.#agents].map(([agentId, { file, agentType }]) => ({
      agentId,
      agentType,
      tokens: file.tokens,
    }))
    const files = [this.#main, ...[...this.#agents.values()].map((agent) => agent.file)]
    const tokens = files.map((file) => file.tokens).reduce(addTokens)
    const models: Record<string, Tokens> = {}
    for (const [name, used] of files.flatMap((file) => file.usage)) {
      models[name] = addTokens(models[name] ?? NO_TOKENS, used)
    }
    return { model, tokens, models, contextTokens, turnCount, gitBranch, title, subagents }
  }
}

interface Answered {
  readonly allowed: boolean
  readonly at: number
}

const keyOf = (toolName: string, input: unknown) => `${toolName} ${JSON.stringify(input)}`

class TranscriptFile {
  readonly #path: string
  readonly #usage = new Map<string, readonly [model: string, tokens: Tokens]>()
  readonly #prompts = new Set<string>()
  /** The most recent calls by id, and their results. */
  readonly #calls = new Map<string, string>()
  readonly #answers = new Map<string, Answered>()
  #offset = 0
  #inode = 0n
  #lastTurn = 0
  model: string | null = null
  contextTokens: number | null = null
  gitBranch: string | null = null
  title: string | null = null
  interruptedAt: number | null = null

  constructor(path: string) {
    this.#path = path
  }

  get turnCount(): number {
    return Math.max(this.#lastTurn, this.#prompts.size)
  }

  get tokens(): Tokens {
    return this.usage.map(([, tokens]) => tokens).reduce(addTokens, NO_TOKENS)
  }

  /** One entry per message. */
  get usage(): (readonly [model: string, tokens: Tokens])[] {
    return [...this.#usage.values()]
  }

  answerOf(toolName: string, input: unknown): Answered | null {
    return this.#answers.get(keyOf(toolName, input)) ?? null
  }

  refresh(): boolean {
    const opened = openFile(this.#path)
    if (!opened) return false
    const { file, stats } = opened
    try {
      // The file was replaced or rewritten: start from zero.
      if (stats.ino !== this.#inode || stats.size < BigInt(this.#offset)) this.#forget(stats.ino)
      const before = this.#offset
      // Memory: not kept, because its buffer would live as long as the session, and there may be thousands.
      const reader = new LineReader(READER)
      while (this.#offset < Number(stats.size)) {
        const batch = reader.read(file, this.#offset, Number(stats.size))
        if (!batch) break
        for (const { text } of batch.lines) if (text !== null) this.#readLine(text)
        this.#offset = batch.nextOffset
      }
      return this.#offset > before
    } finally {
      closeQuietly(file)
    }
  }

  #forget(inode: bigint): void {
    this.#inode = inode
    this.#offset = 0
    this.#usage.clear()
    this.#prompts.clear()
    this.#calls.clear()
    this.#answers.clear()
    this.#lastTurn = 0
    this.contextTokens = null
  }

  #readLine(text: string): void {
    if (!WANTED.some((mark) => text.includes(mark))) return
    let line: ReturnType<typeof asRecord>
    try {
      line = asRecord(JSON.parse(text))
    } catch {
      return
    }
    const branch = asText(line['gitBranch'])
    if (branch !== null) this.gitBranch = branch === NO_BRANCH || branch === '' ? null : branch
    switch (line['type']) {
      case 'assistant':
        this.#readAssistant(line)
        break
      case 'user':
        this.#readUser(line)
        break
      case 'custom-title':
        this.title = asText(line['customTitle']) ?? asText(line['title']) ?? this.title
        break
      case 'ai-title':
        this.title ??= asText(line['aiTitle']) ?? asText(line['title'])
        break
      default:
    }
  }

  #readAssistant(line: ReturnType<typeof asRecord>): void {
    const { id, model, usage, content } = asRecord(line['message'])
    for (const block of asList(content).map(asRecord)) {
      const callId = asText(block['id'])
      if (block['type'] !== 'tool_use' || callId === null) continue
      keep(this.#calls, callId, keyOf(asText(block['name']) ?? '', block['input']))
    }
    const name = asText(model)
    if (name === null || name === '<synthetic>') return
    this.model = name
    const counts = asRecord(usage)
    const key = asText(id) ?? asText(line['requestId']) ?? asText(line['uuid'])
    if (key === null) return
    // Each block of a message has a line with the message's usage. The last one is final.
    const tokens = {
      input: asCount(counts['input_tokens']) ?? 0,
      output: asCount(counts['output_tokens']) ?? 0,
      cached: asCount(counts['cache_read_input_tokens']) ?? 0,
      cacheCreation: asCount(counts['cache_creation_input_tokens']) ?? 0,
    }
    this.#usage.set(key, [name, tokens])
    this.contextTokens = tokens.input + tokens.cached + tokens.cacheCreation + tokens.output
  }

  #readResults(line: ReturnType<typeof asRecord>, blocks: readonly ReturnType<typeof asRecord>[]): void {
    const at = Date.parse(asText(line['timestamp']) ?? '')
    const allowed = line['toolUseResult'] !== REJECTED
    for (const block of blocks) {
      const key = this.#calls.get(asText(block['tool_use_id']) ?? '')
      if (key !== undefined && !Number.isNaN(at)) keep(this.#answers, key, { allowed, at })
    }
  }

  #readUser(line: ReturnType<typeof asRecord>): void {
    const { content } = asRecord(line['message'])
    const blocks = asList(content).map(asRecord)
    const said = asText(content) ?? asText(blocks.find((block) => block['type'] === 'text')?.['text']) ?? ''
    if (said.startsWith(INTERRUPTED)) {
      this.interruptedAt = Date.parse(asText(line['timestamp']) ?? '') || this.interruptedAt
      return
    }
    const isResult = blocks.some((block) => block['type'] === 'tool_result')
    if (isResult) this.#readResults(line, blocks)
    if (
      isResult ||
      line['isMeta'] === true ||
      line['isCompactSummary'] === true ||
      line['isSidechain'] === true
    )
      return
    const promptId = asText(line['promptId']) ?? asText(line['uuid'])
    if (promptId !== null) this.#prompts.add(promptId)
    this.#lastTurn = Math.max(this.#lastTurn, asCount(asRecord(line['turnPosition'])['turnIndex']) ?? 0)
  }
}

const NO_TOKENS: Tokens = { input: 0, output: 0, cached: 0, cacheCreation: 0 }

/** Adds an entry and evicts the oldest ones. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= KEPT_CALLS) return
    map.delete(oldest)
  }
}

function addTokens(one: Tokens, other: Tokens): Tokens {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    cacheCreation: one.cacheCreation + other.cacheCreation,
  }
}

const MAX_DESCRIPTION_BYTES = 1024 * 1024

function agentTypeOf(path: string): string | null {
  try {
    const description = path.replace(/\.jsonl$/, '.meta.json')
    return asText(
      asRecord(JSON.parse(readSmallFileSync(description, MAX_DESCRIPTION_BYTES).toString('utf8')))[
        'agentType'
      ],
    )
  } catch {
    return null
  }
}
