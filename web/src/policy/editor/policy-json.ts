import { PolicyFile } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'

export function policyText(policy: PolicyFile): string {
  return JSON.stringify(policy, null, 2)
}

/** Throws with the place of the first problem. */
export function readPolicy(text: string): PolicyFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(t('edit.not_json', { name: t('policy.file') }), { cause })
  }
  const policy = PolicyFile.safeParse(value)
  if (policy.success) return policy.data
  const [issue] = policy.error.issues
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
}
