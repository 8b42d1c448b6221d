/**
 * The workspace of a range as a folder of the host, in which commands run in the read-only jail. Here the programs are
 * the real ones; harm is a file that changed, or a secret or something from outside that was read or shown.
 */

import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createJail, type Jail } from '../../../src/jail/jail.js'
import { CAREFUL, evaluate } from '../../../src/policy/evaluate.js'
import { cliBinary, cliFunctions } from '../cli-function.js'
import { MARK } from './canary.js'
import { type Judge, rememberedFiles } from './judge.js'
import { type Harm, shownIn } from './range.js'
import {
  forgetReading,
  placeFiles,
  RANGE_HOME,
  RANGE_WORKSPACE,
  restoreFiles,
  type Scene,
  watchedPaths,
} from './root.js'
import { changesBetween, readAmong, type Snapshot, snapshot } from './trace.js'

/** Commands that one check of the canaries covers. */
const BATCH = 50
const PATIENCE_MS = 10_000
const MAX_OUTPUT = 1_000_000

export class JailedRange {
  readonly scene: Scene
  readonly root: string
  readonly #pristine: string
  readonly #jail: Jail
  #before: Snapshot = new Map()

  constructor(scene: Scene) {
    this.scene = scene
    const folder = mkdtempSync(join(tmpdir(), 'jailed-range-'))
    this.root = join(folder, 'root')
    this.#pristine = join(folder, 'pristine')
    const home = join(folder, 'signalbox')
    for (const path of [this.root, home]) mkdirSync(path, { mode: 0o700 })
    // Whether the jail hides what cannot be spelled is for its own tests.
    placeFiles(this.#pristine, scene, { hasOddNames: false })
    this.#restore()
    this.#jail = createJail({
      home,
      claudeProgram: cliBinary(),
      mark: null,
      platform: process.platform,
      arch: process.arch,
    })
  }

  /** Accepts commands that are allowed only in the jail. */
  get judge(): Judge {
    const world = { cwd: join(this.root, RANGE_WORKSPACE), home: join(this.root, RANGE_HOME) }
    const files = rememberedFiles('')
    return (command) => {
      const fs = files()
      const call = { tool: 'Bash', input: { command }, mode: 'default' as const, jail: true, ...world, fs }
      const { verdict, jail } = evaluate(call, CAREFUL)
      return verdict === 'allow' && jail === true
    }
  }

  async run(commands: readonly string[]): Promise<Map<string, Harm[]>> {
    const { state, reason } = await this.#jail.verify()
    if (state !== 'verified') throw new Error(`The jail could not be verified: ${reason}`)
    const found = new Map<string, Harm[]>()
    for (let start = 0; start < commands.length; start += BATCH)
      await this.#search(commands.slice(start, start + BATCH), found)
    return found
  }

  async close(): Promise<void> {
    await this.#jail.close()
    execFileSync('rm', ['-rf', dirname(this.root)])
  }

  async #search(batch: readonly string[], found: Map<string, Harm[]>): Promise<void> {
    const harm = await this.#attempt(batch)
    if (harm.length === 0) return
    this.#restore()
    const [first] = batch
    if (batch.length === 1 && first !== undefined) {
      found.set(first, harm)
      return
    }
    const middle = Math.ceil(batch.length / 2)
    await this.#search(batch.slice(0, middle), found)
    await this.#search(batch.slice(middle), found)
  }

  async #attempt(batch: readonly string[]): Promise<Harm[]> {
    const shown: Harm[] = []
    const workspace = join(this.root, RANGE_WORKSPACE)
    for (const command of batch) {
      const env = { ...ENVIRONMENT, HOME: join(this.root, RANGE_HOME) }
      const wrapped = await this.#jail.wrap({ command, cwd: workspace, workspace, env })
      // Skipped: a command that cannot run in the jail needs an answer of the user.
      if ('command' in wrapped)
        shown.push(...shownIn(await outputOf(wrapped.command, workspace, env)).filter(isKept))
    }
    const read = readAmong(this.root, this.#watchedFiles())
    const changed = changesBetween(this.#before, snapshot(this.root))
    forgetReading(this.root, this.scene)
    return [
      ...shown,
      ...changed.map((path): Harm => ({ kind: 'file changed', detail: path })),
      ...read.map((path): Harm => ({ kind: 'read', detail: path })),
    ]
  }

  /** Folders are read by the jail itself, which looks for files to hide. */
  #watchedFiles(): string[] {
    return watchedPaths(this.scene).filter((path) => statSync(join(this.root, path)).isFile())
  }

  #restore(): void {
    restoreFiles(this.root, this.#pristine)
    forgetReading(this.root, this.scene)
    this.#before = snapshot(this.root)
    forgetReading(this.root, this.scene)
  }
}

/** That something was kept away, from files or from the network, is what the jail is for. */
function isKept({ kind }: Harm): boolean {
  return kind === 'shown'
}

const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  USER: 'dev',
  LANG: 'C.UTF-8',
  ANTHROPIC_API_KEY: MARK.variable,
  API_TOKEN: MARK.variable,
  T: MARK.variable,
  X: MARK.variable,
  x: MARK.variable,
}

function outputOf(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    const cli = cliBinary()
    const functions = cli === null ? '' : `${cliFunctions(cli)}\n`
    const child = spawn('/bin/bash', ['-c', `${functions}${command}`], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    const take = (bytes: Buffer) => {
      if (output.length < MAX_OUTPUT) output += bytes.toString('latin1')
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), PATIENCE_MS)
    child.once('close', () => {
      clearTimeout(timer)
      resolve(output)
    })
  })
}
