/** Notes of the daemon for its next run: transcripts it has read, recovery, and small pairs of state. */

import type { Store, TranscriptRecord } from '../port.js'

export function createDaemonRows(): Pick<
  Store,
  'state' | 'setState' | 'states' | 'recoveredUpTo' | 'setRecovered' | 'transcripts' | 'saveTranscripts'
> {
  const facts = new Map<string, string>()
  let recovered = 0
  const transcripts = new Map<string, TranscriptRecord>()
  return {
    state: async (key) => facts.get(key) ?? null,
    setState: async (key, value) => void (value === null ? facts.delete(key) : facts.set(key, value)),
    states: async (prefix) =>
      [...facts]
        .filter(([key]) => key.startsWith(prefix))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, value]) => ({ key, value })),
    recoveredUpTo: async () => recovered,
    setRecovered: async (position) => {
      recovered = position
    },
    transcripts: async () => [...transcripts.values()],
    saveTranscripts: async (records) => {
      for (const record of records) transcripts.set(record.path, record)
    },
  }
}
