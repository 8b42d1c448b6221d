/** Calls a tool. Whatever it does, there is a result: never a throw, never a stack trace for the agent. */

import { z } from 'zod'
import { cutText } from '../lib/text/truncate.js'
import { failedResult, resultOf, type ToolResult } from './output.js'
import { isToolFailure, type Tool, type ToolContext } from './tool.js'

const MAX_FAILURE_TEXT = 4_000

/** The signal of the context aborts when the call's time is up as well as when its host says so. */
export async function callTool(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const input = await parse(tool, args)
  if (!input.success) return failedResult(`The input of ${tool.name} is not as expected.\n${input.problem}`)
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), tool.timeoutMs)
  const signal = AbortSignal.any([context.signal, deadline.signal])
  try {
    return await Promise.race([run(tool, input.data, { ...context, signal }), whenAborted(signal)])
  } catch (error) {
    if (deadline.signal.aborted) {
      return failedResult(`${tool.name} took longer than ${tool.timeoutMs / 1_000} seconds and was given up.`)
    }
    if (context.signal.aborted) return failedResult(`${tool.name} was interrupted.`)
    if (!isToolFailure(error)) context.log.error('A tool failed', error, { tool: tool.name })
    return failedResult(failureText(tool.name, error))
  } finally {
    clearTimeout(timer)
    deadline.abort()
  }
}

type Parsed = { success: true; data: unknown } | { success: false; problem: string }

async function parse({ input }: Tool, args: unknown): Promise<Parsed> {
  if (input === undefined) return { success: true, data: args }
  try {
    const parsed = await input.safeParseAsync(args ?? {})
    if (parsed.success) return parsed
    return { success: false, problem: z.prettifyError(parsed.error) }
  } catch {
    return { success: false, problem: 'It could not be checked.' }
  }
}

async function run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  return resultOf(await tool.run(args, context))
}

/** A tool that ignores its signal is abandoned; its later effects and errors change nothing. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new Error('aborted'))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

function failureText(name: string, error: unknown): string {
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : ''
  const text = message
    .split('\n')
    .filter((line) => !/^\s+at .*(?::\d+:\d+\)?|<anonymous>\)?|\(native\))$/.test(line))
    .join('\n')
    .trim()
  if (text === '') return `${name} failed and did not say why.`
  return text.length > MAX_FAILURE_TEXT ? `${cutText(text, MAX_FAILURE_TEXT)} …` : text
}
