import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { aToolContext } from '../../test/support/tool-context.js'
import { callTool } from './call.js'
import { defineTool, type ToolDefinition, ToolFailure } from './tool.js'

const PIXEL = Buffer.from('iVBORw0KGgo=', 'base64')

function aTool(tool: Partial<ToolDefinition>) {
  return defineTool({ name: 'probe', description: 'A probe', input: z.object({}), run: () => 'ok', ...tool })
}

const returning = async (value: unknown) => callTool(aTool({ run: () => value }), {}, aToolContext())
const throwing = async (error: unknown) =>
  callTool(
    aTool({
      run: () => {
        throw error
      },
    }),
    {},
    aToolContext(),
  )
const text = (shown: string, isError = false) => ({ content: [{ type: 'text', text: shown }], isError })

describe('what a tool returns', () => {
  test.each([
    ['text', 'hello', 'hello'],
    ['a promise of text', Promise.resolve('later'), 'later'],
    ['an object', { a: [1, null] }, '{\n  "a": [\n    1,\n    null\n  ]\n}'],
    ['null', null, 'null'],
    ['a number', 7, '7'],
    ['an empty text', '', '(no output)'],
    ['an object that only looks like a part', { type: 'text', text: 'x', more: 1 }, undefined],
    ['half a character', 'a\ud800', 'a\ufffd'],
  ])('%s is shown', async (_, value, shown) => {
    const given = await value
    expect(await returning(value)).toEqual(text(shown ?? JSON.stringify(given, null, 2)))
  })

  test.each([
    ['nothing', undefined, 'The tool returned nothing, which cannot be shown.'],
    ['a function', () => 1, 'The tool returned a function, which cannot be shown.'],
    ['a large integer', 1n, 'The tool returned a bigint, which cannot be shown.'],
    ['bytes', new Uint8Array(3), 'The tool returned bytes, which cannot be shown.'],
  ])('%s is a failure', async (_, value, problem) => {
    expect(await returning(value)).toEqual(text(problem, true))
  })

  test('a circle is a failure', async () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(await returning(circle)).toMatchObject({ isError: true })
  })

  test('parts, lists of parts and whole results are what they say', async () => {
    const image = { type: 'image', data: PIXEL, mimeType: 'image/png' }
    const shown = { ...image, data: PIXEL.toString('base64') }
    expect(await returning(image)).toEqual({ content: [shown], isError: false })
    expect(await returning([{ type: 'text', text: 'a' }, image])).toEqual({
      content: [{ type: 'text', text: 'a' }, shown],
      isError: false,
    })
    expect(await returning({ content: [{ type: 'text', text: 'no' }], isError: true })).toEqual(
      text('no', true),
    )
  })

  test('an image that is too large is a failure, a text that is too long is cut', async () => {
    const image = { type: 'image', data: new Uint8Array(4_000_000), mimeType: 'image/png' }
    expect(await returning(image)).toMatchObject({ isError: true })
    const { content } = await returning('x'.repeat(1_000_010))
    expect(content[0]).toMatchObject({ text: expect.stringMatching(/x\n\[cut: 10 more characters\]$/) })
  })
})

describe('a tool that fails', () => {
  test('tells the agent why', async () => {
    expect(await throwing(new ToolFailure('No such file.'))).toEqual(text('No such file.', true))
    expect(await throwing(new TypeError('x is not a function'))).toEqual(text('x is not a function', true))
    expect(await throwing('plain words')).toEqual(text('plain words', true))
  })

  test('that has no words still has a result', async () => {
    for (const nothing of [undefined, null, 7, {}, new Error('')]) {
      expect(await throwing(nothing)).toEqual(text('probe failed and did not say why.', true))
    }
  })

  test('shows no stack, not even one inside its message', async () => {
    const stack = new Error('inner').stack ?? ''
    const result = await throwing(new Error(`It broke.\n${stack}`))
    expect(result).toEqual(text('It broke.\nError: inner', true))
  })

  test('is a fault in the log unless it is expected', async () => {
    const context = aToolContext()
    const fault = new Error('a fault')
    class ToolFailureOfAnotherCopy extends Error {
      override readonly name = 'ToolFailure'
    }
    for (const error of [fault, new ToolFailure('expected'), new ToolFailureOfAnotherCopy('expected')]) {
      await callTool(aTool({ run: () => Promise.reject(error) }), {}, context)
    }
    expect(context.faults).toEqual([fault])
  })
})

describe('the input', () => {
  const tool = aTool({
    input: z.object({ path: z.string(), depth: z.number().default(1) }),
    run: (args) => args,
  })

  test('is checked, and what is wrong is told in words', async () => {
    expect(await callTool(tool, { path: 7 }, aToolContext())).toEqual(
      text(
        'The input of probe is not as expected.\n✖ Invalid input: expected string, received number\n  → at path',
        true,
      ),
    )
    expect(await callTool(tool, undefined, aToolContext())).toMatchObject({ isError: true })
  })

  test('reaches the tool with its defaults', async () => {
    const { content } = await callTool(tool, { path: 'a' }, aToolContext())
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual({ path: 'a', depth: 1 })
  })

  test('whose check itself breaks is a failure', async () => {
    const broken = z.object({
      a: z.any().transform(() => {
        throw new Error('inside')
      }),
    })
    expect(await callTool(aTool({ input: broken }), {}, aToolContext())).toMatchObject({ isError: true })
  })
})

describe('a call that does not end by itself', () => {
  test('is given up when its time is up, and the tool is told', async () => {
    let reason = 'not aborted'
    const tool = aTool({
      timeoutMs: 10,
      run: (_, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => void (reason = 'aborted'))),
    })
    expect(await callTool(tool, {}, aToolContext())).toEqual(
      text('probe took longer than 0.01 seconds and was given up.', true),
    )
    expect(reason).toBe('aborted')
  })

  test('is ended by an interrupt; what the tool still throws changes nothing', async () => {
    const host = new AbortController()
    const tool = aTool({
      run: async (_, { signal }) => {
        host.abort()
        await new Promise((resolve) => setTimeout(resolve, 5))
        throw signal.reason
      },
    })
    expect(await callTool(tool, {}, aToolContext({ signal: host.signal }))).toEqual(
      text('probe was interrupted.', true),
    )
  })
})
