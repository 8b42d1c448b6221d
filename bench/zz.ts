import { proofFor } from '../test/support/range/judge.js'
import { Range } from '../test/support/range/range.js'
import { ATTACKS } from '../test/support/attack-command.js'
import { readFileSync } from 'node:fs'
const cmds = [...readFileSync('/tmp/fz/cmds.txt','utf8').split('\n'), ...Object.values(ATTACKS).flat()]
for (const scene of ['plain', 'trapped'] as const) {
const range = new Range(scene); const judge = proofFor(range)
const ok = cmds.filter(judge)
const found = await range.run(ok)
console.log(scene, ok.length, 'proven:'); for (const c of ok) console.log('  ', c, found.has(c) ? 'HARM ' + JSON.stringify(found.get(c)).slice(0,200) : '')
await range.close()
}
