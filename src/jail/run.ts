/**
 * Runs of commands in the jail, from the plan to the release of their output. A mount hides one file, not a name: a file
 * that is replaced or moved while a command runs is hidden no longer. So the output is held back until a second look has
 * found that everything was hidden. A command in the jail has changed nothing, so it can be run once more with a new plan.
 */

import { readFileSync } from 'node:fs'
import { killProcess } from '../lib/kill-process.js'
import { reasonText } from '../protocol/reason/reason.js'
import type { ReasonPart } from '../protocol/reason/reason-part.js'
import type { FifoPool } from './fifo-pool.js'
import { makeRunFolder, type RunFolder } from './run-folder.js'

/** Why a command cannot run in the jail. */
export interface Obstacle {
  problem: ReasonPart
}

/** How one command is to be run. */
export interface RunSource {
  /** Runs inside. */
  inside: string
  /** The workspace. */
  root: string
  /** The arguments of bubblewrap, or why there can be no jail. `isFresh`: by a new look at the workspace. */
  plan(isFresh: boolean): Promise<{ words: readonly string[] } | Obstacle>
  /** Whether the paths to hide now are exactly those that the last plan has hidden. */
  isStillHidden(): Promise<boolean>
}

export interface RunsDeps {
  folder: string
  fifos: FifoPool
  /** Called when a command begins; the function it returns is polled while it runs, and says whether it must end. */
  newWatch(): (firstProcess: () => number | null) => boolean
}

export interface Runs {
  /** Resolves with the id by which the launcher finds it, or with why there can be no jail. */
  prepare(source: RunSource): Promise<{ id: string } | Obstacle>
  /** Drops a run that will not be started. A running command is not affected. */
  drop(id: string): void
  /** A line of a launcher. */
  report(line: string): void
  /** Idempotent. */
  close(): void
}

const REPORT = /^([0-9a-f]{24}) (begin|end) (\d{1,10})$/
/** How often the output of a command that still runs is released. */
const RELEASE_MS = 700
const WATCH_MS = 100
const MAX_ATTEMPTS = 3
/** A command that took longer is not retried: the agent decides. */
const MAX_REPEATED_MS = 10_000
const MAX_RUN_MS = 60 * 60_000

interface Run {
  folder: RunFolder
  source: RunSource
  attempt: number
  firstBegunAt: number | null
  /** The launcher. */
  pid: number | null
  state: 'prepared' | 'running' | 'ending'
  releasedBytes: number
  wasShown: boolean
  timers: NodeJS.Timeout[]
}

export function createRuns({ folder, fifos, newWatch }: RunsDeps): Runs {
  const runs = new Map<string, Run>()

  function finish(run: Run): void {
    for (const timer of run.timers) clearInterval(timer)
    run.folder.remove()
    runs.delete(run.folder.id)
  }

  /** A launcher that was killed hears nothing any more. */
  function answer(run: Run, line: string): void {
    if (runs.has(run.folder.id)) run.folder.answer(line)
  }

  function begin(run: Run, pid: number): void {
    run.pid = pid
    run.state = 'running'
    if (run.firstBegunAt !== null) return
    run.firstBegunAt = performance.now()
    const release = setInterval(() => void releaseSoFar(run).catch(() => {}), RELEASE_MS)
    const isTooMuch = newWatch()
    const watch = setInterval(() => watchOver(run, isTooMuch), WATCH_MS)
    run.timers = [release, watch]
    for (const timer of run.timers) timer.unref()
  }

  function watchOver(run: Run, isTooMuch: ReturnType<RunsDeps['newWatch']>): void {
    if (run.pid === null) return
    const isLate = performance.now() - (run.firstBegunAt ?? 0) > MAX_RUN_MS
    if (!isAlive(run.pid)) endOrphan(run)
    else if (run.state === 'running' && (isLate || isTooMuch(() => run.folder.firstProcess())))
      killProcess(run.pid, 'SIGKILL')
  }

  /**
   * The launcher was killed. Race: bubblewrap asks to die with its parent only after it has been set up, so a jail whose
   * parent dies earlier would stay.
   */
  function endOrphan(run: Run): void {
    const pid = run.folder.firstProcess()
    if (pid !== null && isJail(pid)) killProcess(pid, 'SIGKILL')
    finish(run)
  }

  async function releaseSoFar(run: Run): Promise<void> {
    const size = run.folder.size()
    if (run.state !== 'running' || size <= run.releasedBytes) return
    const { attempt } = run
    const isHidden = await run.source.isStillHidden()
    // It may have ended, or begun anew, in the meantime.
    if (run.state !== 'running' || run.attempt !== attempt) return
    run.wasShown ||= !isHidden
    if (run.wasShown) return
    answer(run, `release ${size - run.releasedBytes}`)
    run.releasedBytes = size
    if (run.pid !== null) killProcess(run.pid, 'SIGUSR1')
  }

  async function end(run: Run): Promise<void> {
    run.state = 'ending'
    const { hasBegun, folder: place } = run.folder.told()
    if (hasBegun && !run.wasShown && (await run.source.isStillHidden())) {
      const verb = run.folder.isShortText() ? 'ok' : 'copy'
      answer(run, `${verb} ${finalFolder(place, run.source.root)}`)
      return finish(run)
    }
    const reason = hasBegun ? CHANGED : `${NOT_BUILT} ${run.folder.firstLine()}`
    const isLong = performance.now() - (run.firstBegunAt ?? 0) > MAX_REPEATED_MS
    if (run.attempt >= MAX_ATTEMPTS || run.releasedBytes > 0 || isLong) return withhold(run, reason)
    const planned = await run.source.plan(true)
    if ('problem' in planned) return withhold(run, `${NOT_BUILT} ${reasonText([planned.problem])}`)
    if (!runs.has(run.folder.id)) return
    run.folder.writeArguments(planned.words)
    run.attempt++
    run.wasShown = false
    answer(run, 'again')
  }

  function withhold(run: Run, reason: string): void {
    answer(run, `withhold ${reason.replaceAll(/[^\x20-\x7e]/g, '?')}`)
    finish(run)
  }

  return {
    async prepare(source) {
      const planned = await source.plan(false)
      if ('problem' in planned) return planned
      const made = await makeRunFolder(folder, fifos, source.inside)
      made.writeArguments(planned.words)
      runs.set(made.id, {
        folder: made,
        source,
        attempt: 1,
        firstBegunAt: null,
        pid: null,
        state: 'prepared',
        releasedBytes: 0,
        wasShown: false,
        timers: [],
      })
      return { id: made.id }
    },
    drop(id) {
      const run = runs.get(id)
      if (run?.state === 'prepared') finish(run)
    },
    report(line) {
      const [, id = '', word, number] = REPORT.exec(line) ?? []
      const run = runs.get(id)
      if (!run) return
      if (word === 'begin') return begin(run, Number(number))
      // Without an answer the launcher would wait for ever.
      end(run).catch(() => withhold(run, NOT_LOOKED))
    },
    close() {
      for (const run of runs.values()) finish(run)
    },
  }
}

/** As `printf %b` reads it. A command can say anything here: only a folder of the workspace counts. */
function finalFolder(folder: string | null, root: string): string {
  const isInside = folder !== null && `${folder}/`.startsWith(`${root}/`)
  return isInside ? `${folder.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}/.` : '.'
}

const CHANGED =
  'Signalbox withheld the output: a protected file was created, replaced or moved while the command ran. Run it again.'
const NOT_BUILT = 'Signalbox could not build the read-only jail for this command.'
const NOT_LOOKED = 'Signalbox withheld the output: the workspace could not be read. Run it again.'

/** Not another process that has got the same id since. */
function isJail(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0', 1).join('').endsWith('/bwrap')
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
