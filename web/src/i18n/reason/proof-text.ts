/** The part of the reasons about proofs that a command only reads, which has a file of its own in each language. */

import type { ReasonTexts } from '../server-text.js'

export type ProofTexts = Readonly<Pick<ReasonTexts, Extract<keyof ReasonTexts, `proof.${string}`>>>
