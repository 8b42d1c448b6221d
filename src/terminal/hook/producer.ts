/**
 * Builds the lifecycle hook in the fastest form that runs on this machine: compiled, perl, or Node as a fallback. All
 * do the same; they differ in the latency that each hook event adds to the user's session.
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
/** The first one that builds a working program is used. */
const COMPILERS = ['cc', 'gcc', 'clang', 'c99', 'tcc']
const BUILD_MS = 60_000
const RUN_MS = 10_000

/**
 * Places the hook in a folder below `home`. It is a copy: if the package is moved or removed, the hook must not start
 * to fail in every session of the user. An existing hook that works is reused.
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

/** Digest of all sources: each version gets its own folder. */
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
      // The Node that runs now: another one may not be found later.
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
  // On macOS without developer tools, calling a compiler opens a dialog to install them.
  if (process.platform === 'darwin' && spawnSync('xcode-select', ['-p']).status !== 0) return false
  const source = join(SOURCES, 'lifecycle-logger.c')
  return COMPILERS.some((compiler) =>
    // A static binary starts faster, but not every system has the static libraries.
    [['-static'], []].some(
      (extra) =>
        spawnSync(compiler, ['-O2', ...extra, '-o', to, source], { stdio: 'ignore', timeout: BUILD_MS })
          .status === 0,
    ),
  )
}

/** Runs the hook once: it must append a valid line, print nothing and exit with 0. */
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
