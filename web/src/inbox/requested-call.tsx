import { Suspense } from 'react'
import type { Explanation } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { textField, toolKind } from '../tool/call.js'
import { Changes, Input } from '../tool/lazy-body.js'
import { printable } from '../ui/printable.js'
import { RichText } from '../ui/rich-text.js'
import { Command } from './command.js'

interface RequestedCallProps {
  toolName: string
  input: unknown
  cwd: string
  explanation: Explanation | null
}

/** The call, rendered by kind: a command, a diff, a plan or plain fields. */
export function RequestedCall({ toolName: name, input, cwd, explanation }: RequestedCallProps) {
  const kind = toolKind(name)
  const loading = <p className="muted">{t('loading')}</p>
  if (kind === 'shell') {
    return (
      <div className="shell">
        <Command command={textField(input, 'command') ?? ''} explanation={explanation} />
        {textField(input, 'description') !== null && (
          <p className="muted">{printable(textField(input, 'description') ?? '')}</p>
        )}
      </div>
    )
  }
  if (kind === 'plan') return <RichText text={textField(input, 'plan') || t('plan.empty')} />
  return (
    <Suspense fallback={loading}>
      {kind === 'edit' ? (
        <Changes name={name} input={input} result={null} cwd={cwd} />
      ) : (
        <Input input={input} />
      )}
    </Suspense>
  )
}
