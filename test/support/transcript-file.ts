/** Writes transcripts as Claude Code does. */

import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The same name gives the same UUID. */
export function uuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

type Fields = Record<string, unknown>

export function makeTranscript(claudeFolder: string, sessionId: string, project = '-p') {
  const path = join(claudeFolder, 'projects', project, `${sessionId}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  let time = Date.UTC(2026, 1, 18, 10)
  let count = 0
  const stamp = (fields: Fields) => {
    time += 1_000
    count += 1
    return {
      uuid: uuid(`${sessionId} ${count}`),
      timestamp: new Date(time).toISOString(),
      cwd: '/p',
      sessionId,
      entrypoint: 'cli',
      gitBranch: 'main',
      isSidechain: false,
      ...fields,
    }
  }
  const line = (fields: Fields) => `${JSON.stringify(stamp(fields))}\n`
  const message = (id: string, content: unknown[], more: Fields = {}) => ({
    id,
    role: 'assistant',
    model: 'claude-opus-5-5',
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
    content,
    ...more,
  })
  return {
    path,
    at: (ms: number) => {
      time = ms
    },
    write: (text: string) => appendFileSync(path, text),
    rewrite: (text: string) => writeFileSync(path, text),
    /** Makes the file look as if it was last written then. */
    age: (ms: number) => utimesSync(path, ms / 1000, ms / 1000),
    line,
    prompt: (text: string, more: Fields = {}) =>
      line({ type: 'user', promptId: uuid(text), message: { role: 'user', content: text }, ...more }),
    say: (text: string, id = `msg_${count}`) =>
      line({ type: 'assistant', message: message(id, [{ type: 'text', text }]) }),
    think: (thinking: string, id: string) =>
      line({
        type: 'assistant',
        message: message(id, [{ type: 'thinking', thinking }], { stop_reason: null }),
      }),
    call: (id: string, name: string, input: unknown, messageId = `msg_${count}`) =>
      line({
        type: 'assistant',
        message: message(messageId, [{ type: 'tool_use', id, name, input }], { stop_reason: 'tool_use' }),
      }),
    result: (id: string, content: unknown, more: Fields = {}, block: Fields = {}) =>
      line({
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...block }] },
        ...more,
      }),
    system: (subtype: string, more: Fields = {}) => line({ type: 'system', subtype, ...more }),
    /** The file of a subagent. */
    agent(agentId: string, meta: Fields) {
      const file = join(dirname(path), sessionId, 'subagents', `agent-${agentId}.jsonl`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file.replace('.jsonl', '.meta.json'), JSON.stringify(meta))
      return {
        path: file,
        say: (text: string, id: string) =>
          appendFileSync(
            file,
            line({
              type: 'assistant',
              isSidechain: true,
              agentId,
              message: message(id, [{ type: 'text', text }]),
            }),
          ),
      }
    },
  }
}
