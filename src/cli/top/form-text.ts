/** A form on its page: every field with what was typed, the current one marked. */

import { formFields } from '../../protocol/form/form-field.js'
import type { InboxRequest } from '../../protocol/request.js'
import { fieldHint } from '../ask/read-field.js'
import type { ModeOf } from './press-step.js'
import { wrapText } from './wrap.js'

export interface FormPage {
  lines: string[]
  /** The line of the current field. */
  current: number
}

export function formPage(request: InboxRequest, mode: ModeOf<'form'>, columns: number): FormPage {
  const lines = wrapText(`${request.form?.server ?? ''}: ${request.title}`, columns)
  let current = 0
  for (const [index, field] of (request.form ? formFields(request.form) : []).entries()) {
    const isCurrent = index === mode.at
    if (isCurrent) current = lines.length + 1
    const typed = isCurrent ? mode.text : (mode.lines[index] ?? '')
    const hint = fieldHint(field)
    const head = `${isCurrent ? '>' : ' '} ${field.title}${hint === '' ? '' : ` (${hint})`}: ${typed}`
    const about = [
      ...(field.description === null ? [] : [field.description]),
      ...field.choices.map(({ title }, place) => `${place + 1}  ${title}`),
    ]
    lines.push('', ...wrapText([head, ...about.map((text) => `    ${text}`)].join('\n'), columns))
  }
  return { lines, current }
}

/** The part of the page that shows the current field. */
export function visiblePart({ lines, current }: FormPage, rows: number): string[] {
  const top = Math.max(0, Math.min(current - Math.floor(rows / 2), lines.length - rows))
  return lines.slice(top, top + rows)
}
