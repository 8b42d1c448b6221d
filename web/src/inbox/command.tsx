import type { Explanation, Grant } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { reasonLabel } from '../i18n/server-text.js'
import { grantLabel } from '../policy/grant-label.js'
import { printable } from '../ui/printable.js'

interface Piece {
  text: string
  /** Reason of the finding for this piece, or null. */
  reason: string | null
}

/** Splits a command at the ranges of its findings. Of overlapping ranges only the first is marked. */
export function splitByFindings(command: string, findings: Explanation['findings']): Piece[] {
  const marks = findings
    .flatMap((finding) =>
      finding.part?.start === null || finding.part?.end === null || !finding.part
        ? []
        : [{ start: finding.part.start, end: finding.part.end, reason: reasonLabel(finding) }],
    )
    .toSorted((a, b) => a.start - b.start)
  const pieces: Piece[] = []
  let position = 0
  for (const { start, end, reason } of marks) {
    if (start < position || end <= start || end > command.length) continue
    if (start > position) pieces.push({ text: command.slice(position, start), reason: null })
    pieces.push({ text: command.slice(start, end), reason })
    position = end
  }
  if (position < command.length || pieces.length === 0)
    pieces.push({ text: command.slice(position), reason: null })
  return pieces
}

/** A shell command with its findings highlighted. */
export function Command({ command, explanation }: { command: string; explanation: Explanation | null }) {
  return (
    <pre className="command">
      <span aria-hidden="true">$ </span>
      {splitByFindings(command, explanation?.findings ?? []).map(({ text, reason }, index) =>
        reason === null ? (
          printable(text)
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
          <mark key={index} title={reason}>
            {printable(text)}
          </mark>
        ),
      )}
    </pre>
  )
}

/** The reasons not to allow a call automatically, and the files and commands it would use. */
export function Findings({ explanation }: { explanation: Explanation }) {
  const { findings, files, commands } = explanation
  const labels = new Map(findings.map((finding) => [reasonLabel(finding), finding.severity]))
  return (
    <>
      {labels.size > 0 && (
        <ul className="findings">
          {[...labels].map(([reason, severity]) => (
            <li key={reason} className={severity}>
              {severity === 'destructive' && <span className="badge red">{t('severity.destructive')}</span>}{' '}
              {printable(reason)}
            </li>
          ))}
        </ul>
      )}
      {(files.length > 0 || commands.length > 1) && (
        <details className="call-details">
          <summary>{t('explain.details')}</summary>
          <ul>
            {commands.length > 1 &&
              commands.map((words, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
                <li key={`command ${index}`}>
                  <span className="badge">{t('explain.runs')}</span> <code>{printable(words.join(' '))}</code>
                </li>
              ))}
            {files.map(({ access, path }) => (
              <li key={`${access} ${path}`}>
                <span className="badge">{accessName(access)}</span> <code>{printable(path)}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** The grant for the session, shown before the user can allow it. */
export function GrantNote({ grant }: { grant: Grant }) {
  return <p className="muted">{t('explain.grant', { what: grantLabel(grant) })}</p>
}

const ACCESSES = ['look', 'read', 'write', 'delete', 'move', 'rights', 'copy', 'send', 'make'] as const

function accessName(access: string): string {
  const known = ACCESSES.find((name) => name === access)
  return known ? t(`access.${known}`) : access
}
