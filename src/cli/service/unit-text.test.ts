import { spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findCommand } from '../../../test/support/find-command.js'
import {
  parseUnit,
  readCommand,
  readDirectory,
  readEnvironment,
  readGlob,
  simplifyPath,
} from '../../../test/support/systemd-unit.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { launchCommand, plistText } from './plist-text.js'
import { sealOf, specOf } from './service-mark.js'
import type { ServiceSpec } from './service-spec.js'
import { problemOfExecutable, problemOfPath, unitText } from './unit-text.js'

const SPEC: ServiceSpec = {
  format: 1,
  node: '/usr/bin/node',
  program: '/usr/lib/node_modules/signalbox/dist/bin/signalbox.cjs',
  home: '/home/ann/.signalbox',
  environmentFile: '/home/ann/.signalbox/service.env',
  path: '/usr/local/bin:/usr/bin:/bin',
  hasRestartSteps: true,
}

/** Everything that the syntax of units gives a meaning to, and some text. */
const character = fc.constantFrom(...`"'\\%$\{}*?[] ;#=-~@:!|ahnx0é한`.split(''), '\u{1f600}')
const pathOf = (letter: fc.Arbitrary<string>) =>
  fc
    .array(fc.array(letter, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 })
    .map((names) => `/${names.map((letters) => letters.join('')).join('/')}`.trimEnd())
const path = pathOf(character)
const executable = pathOf(character.filter((letter) => !/["'\\]/.test(letter)))

test('systemd reads each path from the unit as it was given', () => {
  const given = fc.record({ node: executable, program: path, home: path, path })
  fc.assert(
    fc.property(given, (values) => {
      expect(problemOfExecutable(values.node)).toBe(null)
      expect(problemOfPath(values.home)).toBe(null)
      const environmentFile = `${values.home}/service.env`
      const unit = parseUnit(unitText({ ...SPEC, ...values, environmentFile }))
      const value = (directive: string) => unit.value('Service', directive) ?? ''

      expect(readCommand(value('ExecStart'))).toEqual([
        values.node,
        values.program,
        'start',
        '--json',
        '--home',
        values.home,
      ])
      expect(readDirectory(value('WorkingDirectory'))).toBe(simplifyPath(values.home))
      expect(readEnvironment(value('Environment'))).toEqual({ PATH: values.path })
      expect(readGlob(value('EnvironmentFile'))).toBe(environmentFile)
    }),
    { numRuns: 500 },
  )
})

/** systemd joins a line that ends in a backslash with the next one. */
test.each([
  ['/home/a\\', '/home/a\\/'],
  ['/home/a\\/', '/home/a\\/'],
  ['/home/a', '/home/a'],
])('a working directory %s is written so that its line ends there', (home, written) => {
  const unit = parseUnit(unitText({ ...SPEC, home }))
  expect(unit.value('Service', 'WorkingDirectory')).toBe(written)
  expect(unit.names('Service')).toContain('Environment')
})

test('paths that systemd cannot read are refused', () => {
  expect(problemOfPath('/home/a\nb')).toBe('it contains control characters')
  expect(problemOfPath('/home/a ')).toBe('it starts or ends with a space')
  expect(problemOfExecutable('/opt/o"k/node')).toBe('it contains quotes or backslashes')
  expect(problemOfExecutable('/opt/a b%c$d/node')).toBe(null)
})

test('the unit restarts after a failure only, later and later, and not for settings that are not valid', () => {
  const stepped = parseUnit(unitText(SPEC))
  const plain = parseUnit(unitText({ ...SPEC, hasRestartSteps: false }))

  expect(stepped.value('Service', 'Restart')).toBe('on-failure')
  expect(stepped.value('Service', 'RestartSteps')).toBe('6')
  expect(stepped.value('Service', 'RestartPreventExitStatus')).toBe('2')
  expect(plain.names('Service')).not.toContain('RestartSteps')
  expect(plain.value('Unit', 'StartLimitBurst')).toBe('20')
})

/** They need a mount namespace or forbid user namespaces, so that bubblewrap fails, or stop the compiler of Node. */
test('the unit has no directive that breaks the read-only jail or Node', () => {
  const unit = parseUnit(unitText(SPEC))
  const breaking =
    /^(?:Private|Protect|ReadOnly|ReadWrite|Inaccessible|Bind|Temporary|Root|Dynamic|RestrictNamespaces|MemoryDeny|SystemCall|Capability|Mount|Proc)/
  expect(unit.names('Service').filter((directive) => breaking.test(directive))).toEqual([])
  expect(unit.value('Service', 'NoNewPrivileges')).toBe('yes')
  expect(unit.value('Service', 'UMask')).toBe('0077')
})

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasAnalyze)('systemd-analyze finds no mistake in the unit, with odd paths', async () => {
  const folder = join(await temporaryFolder(), 'a b%c$d{e}*?[f];#=@')
  await mkdir(folder)
  const node = join(folder, 'node $x %h')
  await writeFile(node, '#!/bin/sh\n')
  await chmod(node, 0o755)
  const home = join(folder, `ho"m'e\\`)
  await mkdir(home)
  const file = join(await temporaryFolder(), 'signalbox.service')
  const verify = () =>
    spawnSync('systemd-analyze', ['--user', 'verify', file], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: folder },
    })

  await writeFile(
    file,
    unitText({ ...SPEC, node, home, environmentFile: join(home, 'service.env'), hasRestartSteps: false }),
  )
  const { status, stderr } = verify()
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })

  // It does look at the path of the program: a wrong one is reported.
  await writeFile(file, unitText({ ...SPEC, node: `${node}x`, hasRestartSteps: false }))
  expect(verify().stderr).toContain('is not executable')
})

test('a service file says what it was made from, and notices a changed byte', () => {
  const spec = { ...SPEC, home: '/home/--x-->/한', path: '/a"b\\' }
  for (const text of [unitText(spec), plistText('signalbox', spec)]) {
    expect(specOf(text)).toEqual(spec)
    expect(sealOf(text)).toBe('sealed')
    expect(sealOf(text.replace('UMask', 'uMask').replace('Umask', 'umask'))).toBe('edited')
    expect(sealOf(text.replace(/.*signalbox-checksum.*\n/, ''))).toBe('foreign')
  }
})

/** The parser of property lists in Python, which no test runs on macOS but which reads the same format. */
const PARSE = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'

test.skipIf(findCommand('python3') === null)(
  'the property list for launchd is well-formed, whatever is in the paths',
  () => {
    const odd = `/home/--x-->/한 & <b> "q" 'r' ]]> \\ %s $HOME é`
    const spec = { ...SPEC, node: `${odd}/node`, home: odd, environmentFile: `${odd}/service.env`, path: odd }
    const { stdout, stderr, status } = spawnSync('python3', ['-c', PARSE], {
      input: plistText('signalbox', spec),
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      Label: 'signalbox',
      ProgramArguments: launchCommand(spec),
      WorkingDirectory: odd,
      EnvironmentVariables: { PATH: odd },
      Umask: 0o077,
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      StandardErrorPath: `${odd}/logs/service.log`,
    })
  },
)

test('the shell of the launchd agent starts the program with the variables of the environment file', async () => {
  const folder = join(await temporaryFolder(), "a b'c")
  await mkdir(folder)
  const environmentFile = join(folder, 'service.env')
  await writeFile(environmentFile, 'KEY="a\\$b\\"c"\n')
  const command = (program: string, home: string) =>
    launchCommand({ ...SPEC, node: '/bin/sh', program, home, environmentFile })
  const script = join(folder, 'show')
  await writeFile(script, 'printf "%s|" "$KEY" "$@"\n')

  const [sh = '', ...words] = command(script, '/x $y')
  const { stdout, status } = spawnSync(sh, words, { encoding: 'utf8' })

  expect({ stdout, status }).toEqual({ stdout: 'a$b"c|start|--json|--home|/x $y|', status: 0 })
  expect(plistText('signalbox', { ...SPEC, home: '/a<b>&c' })).toContain('<string>/a&lt;b&gt;&amp;c</string>')
})
