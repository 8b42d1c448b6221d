/** Names that are not UTF-8 cannot be queried by their decoded text, so their content counts as protected. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { evaluate } from '../evaluate.js'
import { nodeFileSystem } from './node-file-system.js'

test.each(['grep -rh KEY .', 'cat gr*/*', 'grep -rh KEY gr*', 'diff -r src gr*'])(
  'a command that may reach one is not proven: %s',
  async (command) => {
    const cwd = await temporaryFolder()
    mkdirSync(join(cwd, 'src'))
    const judge = () =>
      evaluate({
        tool: 'Bash',
        input: { command },
        mode: 'default',
        cwd,
        home: '/home/dev',
        fs: nodeFileSystem(),
      })
    mkdirSync(join(cwd, 'group'))
    writeFileSync(join(cwd, 'group', 'a.txt'), '')
    expect(judge().verdict).toBe('allow')

    const odd = Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from('gr\xfc\xdfe', 'latin1')])
    mkdirSync(odd)
    writeFileSync(Buffer.concat([odd, Buffer.from('/.env')]), 'KEY=x')

    expect(judge().verdict).toBe('ask')
  },
)
