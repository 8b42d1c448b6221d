/**
 * Puts the lifecycle hook into place, in the quickest form that works on this machine: compiled, perl, or Node as the
 * last resort. Each does the same; the difference is what a person feels at every event.
 */

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digest } from '../../lib/digest.js'
import { decodeLine } from '../stream/decode.js'

export type ProducerKind = 'compiled' | 'perl' | 'node'

export interface Producer {
  readonly kind: ProducerKind
  readonly path: string
}

const SOURCES = fileURLToPath(new URL('./producer/', import.meta.url))
const KINDS: readonly ProducerKind[] = ['compiled', 'perl', 'node']
const FILES = {
  compiled: 'lifecycle-logger',
  perl: 'lifecycle-logger.pl',
  node: 'lifecycle-logger.mjs',
} as const
/** The first that makes something that runs. */
const COMPILERS = ['cc', 'gcc', 'clang', 'c99', 'tcc']
const BUILD_MS = 60_000
const RUN_MS = 10_000

/**
 * The hook in a folder below `home`. It is a copy: a package that is moved or removed must not leave every session of
 * the person with a hook that fails. One that is there already and works is used as it is.
 */
export function placeProducer(home: string, kinds: readonly ProducerKind[] = KINDS): Producer {
  const folder = join(home, 'hook', sourceDigest())
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const kind of kinds) {
    const path = join(folder, FILES[kind])
    if (existsSync(path) && worksHere(path)) return { kind, path }
    if (make(kind, path) && worksHere(path)) return { kind, path }
  }
  throw new Error(
    `No form of the lifecycle hook runs in ${folder}. Is it on a disk that forbids running programs?`,
  )
}

/** Of everything that makes the hook what it is: another version gets another folder. */
function sourceDigest(): string {
  const files = ['lifecycle-logger.c', 'lifecycle-logger.pl', 'lifecycle-logger.mjs']
  return digest(files.map((name) => readFileSync(join(SOURCES, name), 'utf8')).join('\0')).slice(0, 12)
}

function make(kind: ProducerKind, path: string): boolean {
  const draft = `${path}.${process.pid}.tmp`
  try {
    if (kind === 'compiled') {
      if (!compile(draft)) return false
    } else if (kind === 'perl') {
      copyFileSync(join(SOURCES, FILES.perl), draft)
    } else {
      // The Node that runs this, not one that may or may not be found later.
      const text = readFileSync(join(SOURCES, FILES.node), 'utf8')
      writeFileSync(draft, text.replace(/^#!.*/, `#!${process.execPath}`))
    }
    chmodSync(draft, 0o755)
    renameSync(draft, path)
    return true
  } catch {
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

function compile(to: string): boolean {
  // Without the developer tools, calling a compiler on a Mac opens a window that asks for them.
  if (process.platform === 'darwin' && spawnSync('xcode-select', ['-p']).status !== 0) return false
  const source = join(SOURCES, 'lifecycle-logger.c')
  return COMPILERS.some((compiler) =>
    // Without shared libraries it starts quicker, but not every system has what that needs.
    [['-static'], []].some(
      (extra) =>
        spawnSync(compiler, ['-O2', ...extra, '-o', to, source], { stdio: 'ignore', timeout: BUILD_MS })
          .status === 0,
    ),
  )
}

/** Whether it runs here: it appends a line that can be read, prints nothing, and ends well. */
export function worksHere(path: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-hook-'))
  try {
    const stream = join(folder, 'lifecycle.jsonl')
    const input = JSON.stringify({
      session_id: 'check',
      hook_event_name: 'SessionEnd',
      cwd: folder,
      reason: 'other',
    })
    const ran = spawnSync(path, [], {
      input: `${input}\n`,
      env: { KW_CHAT_STREAM_PATH: stream },
      timeout: RUN_MS,
      encoding: 'utf8',
    })
    if (ran.status !== 0 || ran.stdout !== '' || ran.stderr !== '') return false
    const decoded = decodeLine(readFileSync(stream, 'utf8').trim())
    return decoded.kind === 'event' && decoded.event.sessionId === 'check'
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
