/** Builds what `npm start` needs: the program with its types, and the dashboard. `--if-stale` does it only if need be. */

import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name) => join(root, 'node_modules', '.bin', name)

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)
rmSync(join(root, 'dist'), { recursive: true, force: true })
step('program', bin('tsc'), ['-p', 'tsconfig.build.json'])
// The lifecycle hook is executed directly, not by Node: it is copied unchanged.
// Links of installations from before the folder was renamed lead to the second place.
for (const place of ['dist/terminal/hook/producer', 'dist/lifecycle/producer'])
  cpSync(join(root, 'src/terminal/hook/producer'), join(root, place), { recursive: true })
step('command', process.execPath, ['scripts/bundle.mjs'])
step('dashboard', bin('vite'), ['build', 'web', '--config', 'web/vite.config.ts', '--logLevel', 'warn'])
step('compressed files', process.execPath, ['scripts/finish-web.mjs'])
chmodSync(join(root, 'dist', 'bin', 'signalbox.cjs'), 0o755)

function step(name, command, args) {
  process.stderr.write(`Building the ${name} … `)
  const started = Date.now()
  // Not inherited: a terminal would show the progress of each program over this line.
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 << 20,
  })
  if (status !== 0) {
    process.stderr.write(`failed.\n${stdout}${stderr}`)
    process.exit(status ?? 1)
  }
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

/** Whether nothing that is built from has changed since the last build. */
function isFresh() {
  const built = ['bin/signalbox.cjs', 'web/index.html', 'web/index.html.br'].map((name) =>
    join(root, 'dist', name),
  )
  if (!built.every(existsSync)) return false
  const oldest = Math.min(...built.map((file) => statSync(file).mtimeMs))
  return [
    'src',
    'web',
    'scripts/bundle.mjs',
    'scripts/finish-web.mjs',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ].every((name) => newest(join(root, name)) < oldest)
}

function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}
