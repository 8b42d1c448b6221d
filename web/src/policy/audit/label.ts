/** Words of the audit in the user's language. Unknown ones are shown as they are: a newer server may have them. */

import { t } from '../../i18n/i18n.js'
import { printable } from '../../ui/printable.js'

export const VERDICTS = [
  'allow',
  'allowAll',
  'deny',
  'block',
  'answered',
  'unanswered',
  'accept',
  'decline',
  'cancel',
  'revoked',
  'changed',
  'done',
  'alarm',
] as const

export function verdictLabel(verdict: string): string {
  const known = VERDICTS.find((name) => name === verdict)
  return known ? t(`audit.verdict.${known}`) : printable(verdict)
}

const SOURCES = [
  'policy',
  'timeout',
  'shutdown',
  'terminal',
  'agent',
  'daemon',
  'file',
  'grant',
  'hook',
] as const

export function sourceLabel(by: string): string {
  const known = SOURCES.find((name) => name === by)
  return known ? t(`by.${known}`) : printable(by)
}

export const KINDS = [
  'request.resolved',
  'call.judged',
  'grant.revoked',
  'mode.changed',
  'options.changed',
  'policy.changed',
  'session.resumed',
  'session.deleted',
  'files.rewound',
  'workspace.trusted',
  'workspace.distrusted',
  'token.created',
  'token.revoked',
  'login_code.created',
  'login.created',
  'login.ended',
  'jail.ended',
  'storage.restored',
  'audit.sealed',
  'audit.alarm',
  'audit.accepted',
] as const
