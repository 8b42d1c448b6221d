/** The scope of a grant as text. The dashboard has the same sentences in its languages. */

import type { Grant } from '../event/request-event.js'

/** `folder` is where a command must run; null for grants for a command that older versions stored. */
export type GrantScope =
  | { kind: 'call' | 'files' | 'tool'; tool: string }
  | { kind: 'server'; tool: string; server: string }
  | { kind: 'pattern'; tool: string; command: string }
  | { kind: 'text' | 'words'; tool: string; command: string; folder: string | null }

export function grantScope({ tool, command, words, files, ...grant }: Grant): GrantScope {
  const { origin, inputDigest, findings, folder = null } = grant
  if (command === undefined) {
    if (inputDigest !== undefined) return { kind: 'call', tool }
    if (origin !== undefined) return { kind: 'server', tool, server: origin }
    const isEdit = findings !== undefined && findings.length > 0 && findings.every((rule) => rule === 'write')
    return { kind: isEdit ? 'files' : 'tool', tool }
  }
  if (words === undefined) return { kind: 'text', tool, command, folder }
  return files === true ? { kind: 'pattern', tool, command } : { kind: 'words', tool, command, folder }
}

/** Exact: the user decides by this text. */
export function grantText(grant: Grant): string {
  const scope = grantScope(grant)
  const { kind, tool } = scope
  switch (kind) {
    case 'call':
      return `${tool}: only this exact call`
    case 'files':
      return `${tool}: ordinary files of the workspace`
    case 'tool':
      return `${tool}: every call of this tool`
    case 'server':
      return `${tool}: pages of ${scope.server}`
    case 'pattern':
      return `${tool}: ${scope.command}, where FILE… are unprotected files of the workspace`
    case 'text':
      return `${tool}: only this exact command${placeOf(scope)}: ${scope.command}`
    case 'words':
      return `${tool}: ${scope.command}, with exactly these words${placeOf(scope)}, also beside commands that only read`
    default:
      return kind satisfies never
  }
}

function placeOf({ folder }: { folder: string | null }): string {
  return folder === null ? '' : ` in ${folder}`
}
