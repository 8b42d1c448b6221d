/**
 * The scripted model as a process of its own: `node model-process.js SCRIPT`, with a script in JSON. It says its address in one
 * line of JSON, and ends with its input.
 */

import { readFileSync } from 'node:fs'
import type { ScriptInput } from './script.js'
import { startScriptedModel } from './server.js'

const script = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ScriptInput // Checked by the server.
const { url } = await startScriptedModel(script)
process.stdout.write(`${JSON.stringify({ url })}\n`)
process.stdin.resume().on('end', () => process.exit(0))
for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => {})
