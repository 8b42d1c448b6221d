/** All reasons: a stable code and its English text. The meaning of a code never changes; texts may improve. */

import { auditTemplates } from './audit-template.js'
import { decisionTemplates } from './decision-template.js'
import { endTemplates } from './end-template.js'
import { fileTemplates } from './file-template.js'
import { gitTemplates } from './git-template.js'
import { jailTemplates } from './jail-template.js'
import { noticeTemplates } from './notice-template.js'
import { programTemplates } from './program-template.js'
import { proofTemplates } from './proof-template.js'
import { requestTemplates } from './request-template.js'
import { shellTemplates } from './shell-template.js'
import { toolTemplates } from './tool-template.js'

export const templates = {
  ...auditTemplates,
  ...decisionTemplates,
  ...requestTemplates,
  ...noticeTemplates,
  ...endTemplates,
  ...toolTemplates,
  ...fileTemplates,
  ...shellTemplates,
  ...programTemplates,
  ...gitTemplates,
  ...jailTemplates,
  ...proofTemplates,
} as const

export type ReasonCode = keyof typeof templates

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** The parameters of a code, read from its template. `part` is left out: `withPart` adds it. */
export type ReasonParams<Code extends ReasonCode> = {
  readonly [Name in Exclude<Placeholders<(typeof templates)[Code]>, 'part'>]: string
}
