/** The models that the CLI offers, loaded once and again when a picker is opened. */

import { useEffect, useSyncExternalStore } from 'react'
import type { Effort, OfferedModel } from '../../../../src/protocol/index.js'
import { client } from '../../store/state.js'

let models: readonly OfferedModel[] = []
let loading: Promise<void> | null = null
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Without models the pickers offer the names that the CLI always knows. */
export function loadModels(): void {
  loading ??= client
    .listModels()
    .then(
      (reply) => {
        models = reply.models
        for (const listener of listeners) listener()
      },
      () => {},
    )
    .finally(() => {
      loading = null
    })
}

export function useOfferedModels(): readonly OfferedModel[] {
  useEffect(loadModels, [])
  return useSyncExternalStore(subscribe, () => models)
}

/** By the name that it is chosen by, or by the id that this stands for. */
export function findModel(offered: readonly OfferedModel[], model: string): OfferedModel | undefined {
  const byName = offered.find(({ value }) => value === model)
  return byName ?? offered.find(({ value, resolved }) => resolved === model && value !== 'default')
}

export const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

/** All efforts, where the model is not known. */
export function effortsOf(offered: readonly OfferedModel[], model: string): readonly Effort[] {
  const known = findModel(offered, model === '' ? 'default' : model)
  return known ? known.efforts : EFFORTS
}
