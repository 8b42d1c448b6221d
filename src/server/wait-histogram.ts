/** Histograms for Prometheus: how long requests waited, and how long users took to answer. Since the start of the daemon. */

import type { Hub } from '../hub/port.js'
import { isAnswered } from '../protocol/value.js'

/** Upper bounds in seconds: from a glance to a night. */
const BOUNDS = [1, 5, 15, 30, 60, 300, 900, 3_600, 14_400, 43_200]

interface Histogram {
  /** How many values are at most each bound; the last is their number. */
  counts: number[]
  sum: number
}

export interface WaitHistogram {
  lines(): string[]
  close(): void
}

export function createWaitHistogram({ journal, inbox }: Pick<Hub, 'journal' | 'inbox'>): WaitHistogram {
  const waits = new Map<string, Histogram>()
  const answers = new Map<string, Histogram>()
  const note = async (requestId: string, at: string, kind: string) => {
    const { requestedAt, resolution } = await inbox.request(requestId)
    const seconds = Math.max(0, (Date.parse(at) - Date.parse(requestedAt)) / 1_000)
    const by = resolution?.by ?? 'shutdown'
    add(waits, `kind="${kind}",by="${by}"`, seconds)
    if (isAnswered(by) || by === 'terminal') add(answers, `kind="${kind}"`, seconds)
  }
  const subscription = journal.subscribe({
    deliver(items) {
      for (const { event } of items) {
        if (event.type !== 'permission.resolved' && event.type !== 'question.resolved') continue
        const kind = event.type === 'permission.resolved' ? 'permission' : 'question'
        // A request of a session that was deleted meanwhile is not counted.
        note(event.data.requestId, event.at, kind).catch(() => {})
      }
    },
  })
  return {
    lines: () => [
      histogram(
        'request_wait_seconds',
        'Time from a request to its resolution, whatever resolved it.',
        waits,
      ),
      histogram('request_answer_seconds', 'Time from a request to its answer.', answers),
    ],
    close: () => subscription.close(),
  }
}

function add(known: Map<string, Histogram>, labels: string, seconds: number): void {
  const { counts, sum } = known.get(labels) ?? { counts: [...BOUNDS, 0].map(() => 0), sum: 0 }
  const isWithin = (index: number) => index === BOUNDS.length || seconds <= (BOUNDS[index] ?? 0)
  known.set(labels, {
    counts: counts.map((count, index) => count + (isWithin(index) ? 1 : 0)),
    sum: sum + seconds,
  })
}

function histogram(name: string, help: string, known: ReadonlyMap<string, Histogram>): string {
  const full = `signalbox_${name}`
  const lines = [...known].flatMap(([labels, { counts, sum }]) => [
    ...counts.map((count, index) => `${full}_bucket{${labels},le="${BOUNDS[index] ?? '+Inf'}"} ${count}\n`),
    `${full}_sum{${labels}} ${sum}\n`,
    `${full}_count{${labels}} ${counts.at(-1) ?? 0}\n`,
  ])
  return `# HELP ${full} ${help}\n# TYPE ${full} histogram\n${lines.join('')}`
}
