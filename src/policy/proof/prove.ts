/**
 * Proves that a shell command only reads files that may be read. Independent of the interpreter that looks for dangers:
 * it has its own grammar, tables and readers, and accepts a text only if it accounts for every byte.
 */

import { BudgetUsedUp } from '../../lib/step-budget.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'
import { withBudget } from '../budget.js'
import type { CallEnvironment } from '../file/call-environment.js'
import { follow } from '../file/path.js'
import { parse } from './parse.js'
import { Places } from './place.js'
import { Budget, Unproven } from './unproven.js'
import { type Covers, Walker } from './walk.js'

export type { CoveredManner, Covers } from './walk.js'

export type Proof = { isProven: true } | { isProven: false; reason: Reason; at: number | null }

export interface ProveOptions {
  /** Whether a rule or a grant covers a simple command whose words are all known. */
  covers?: Covers
}

/** Queries only `environment.fs`, and throws nothing but `BudgetUsedUp`. */
export function prove(command: string, environment: CallEnvironment, options: ProveOptions = {}): Proof {
  return withBudget(() => proveWithin(command, environment, options))
}

function proveWithin(
  command: string,
  environment: CallEnvironment,
  { covers = () => false }: ProveOptions,
): Proof {
  try {
    const budget = new Budget()
    const folder = follow(environment.fs, environment.folder, { last: true })
    if (folder === null)
      return {
        isProven: false,
        reason: reason('proof.working-folder'),
        at: null,
      }
    const walker = new Walker(new Places(environment, budget), covers)
    const values = new Map([['\0HOME', environment.home]])
    walker.walk(parse(command, budget), {
      folders: [folder],
      values,
      startFolder: environment.folder,
    })
    const unseen = environment.fs.unseen()
    if (unseen !== null)
      return { isProven: false, reason: reason('proof.unseen', { path: unseen.path }), at: null }
    return { isProven: true }
  } catch (error) {
    if (error instanceof BudgetUsedUp) throw error
    // A stack overflow by deep nesting, or a bug of ours: both mean that nothing was proven.
    if (!(error instanceof Unproven)) return { isProven: false, reason: reason('proof.failed'), at: null }
    return { isProven: false, reason: error.reason, at: error.at }
  }
}
