/** Plays the scene of the pictures: starts the sessions, answers what must be answered, and lets two terminals speak. */

import { spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROMPTS, TERMINALS } from './screenshots-scene.mjs'

export async function playScene({ client, workspace, home, hook }) {
  const ids = {}
  for (const [name, { prompt, title, mode, plan, allow = [] }] of Object.entries(PROMPTS)) {
    const { session } = await client.createSession({
      body: { cwd: workspace, prompt, ...(title && { title }), ...(mode && { permissionMode: mode }) },
    })
    ids[name] = session.id
    for (const tool of allow) await answerNext(client, session.id, tool)
    if (plan) await writePlan(client, session.id, home, plan)
  }
  await speak(client, workspace, hook)
  await client.trustWorkspace({ body: { path: workspace } })
  await client.createToken({ body: { name: 'phone of Ada', role: 'operator' } })
  await until(async () => {
    const { sessions } = await client.listSessions({ query: { kind: 'managed' } })
    const waiting = sessions.filter(({ state }) => state === 'permission' || state === 'question')
    return waiting.length >= Object.values(PROMPTS).filter(({ waits }) => waits).length
  })
  await client.stopSession({ params: { id: ids.done }, body: { reason: 'finished' } })
  const { requests } = await client.listRequests({ query: { state: 'pending', sessionId: ids.checkout } })
  ids.request = requests[0].id
  return ids
}

/** Runs our lifecycle hook with the events that Claude Code would send from a terminal. */
async function speak(client, workspace, folder) {
  const [name] = await readdir(folder)
  for (const { id, transcript, events } of TERMINALS) {
    const path = join(workspace, '..', `${id}.jsonl`)
    await writeFile(path, transcript.map((line) => `${JSON.stringify(line)}\n`).join(''))
    for (const event of events) {
      const input = { session_id: id, cwd: workspace, transcript_path: path, ...event }
      spawnSync(join(folder, name), [], {
        input: `${JSON.stringify(input)}\n`,
        env: { HOME: join(workspace, '..'), CLAUDE_PID: String(process.pid) },
      })
    }
  }
  await until(async () => {
    const { sessions } = await client.listTerminalSessions({ query: {} })
    return sessions.length === TERMINALS.length
  })
}

/** The CLI names the file that a plan belongs in; what the agent writes is sent there. */
async function writePlan(client, sessionId, home, content) {
  await until(async () => {
    const { requests } = await client.listRequests({ query: { state: 'pending', sessionId } })
    const request = requests.find(({ toolName }) => toolName === 'Write')
    if (!request) return false
    const projects = join(home, 'claude', 'projects')
    const names = (await readdir(projects, { recursive: true })).filter((name) => name.endsWith('.jsonl'))
    const texts = await Promise.all(names.map((name) => readFile(join(projects, name), 'utf8')))
    const path = /create your plan at (\S+\.md)/.exec(texts.join('\n'))?.[1]
    const updatedInput = { file_path: path, content }
    await client.answerRequest({ params: { id: request.id }, body: { decision: 'allow', updatedInput } })
    return true
  })
}

async function answerNext(client, sessionId, tool) {
  await until(async () => {
    const { requests } = await client.listRequests({ query: { state: 'pending', sessionId } })
    const request = requests.find(({ toolName }) => toolName === tool)
    if (!request) return false
    await client.answerRequest({ params: { id: request.id }, body: { decision: 'allow' } })
    return true
  })
}

async function until(isReached) {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await isReached()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The scene did not come together.')
}
