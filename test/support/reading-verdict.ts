/** The verdict of the interpreter alone on a command, without the proof. */

import { evaluate } from '../../src/policy/evaluate.js'
import { bashCall } from './bash-call.js'

/** `allow`, or the verdict with its rule: `ask write`. */
export function readingFinding(command: string): string {
  const { verdict, rule } = evaluate(bashCall(command))
  return verdict === 'allow' || rule === 'unproven' ? 'allow' : `${verdict} ${rule}`
}

export function readingVerdict(command: string): string {
  return readingFinding(command).split(' ')[0] ?? ''
}
