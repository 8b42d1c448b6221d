/** Mode, model and effort of a session, as an editor lets users choose them. Pure. */

import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import { efforts, permissionModes } from '../../protocol/choice.js'
import type { OfferedModel } from '../../protocol/compose/offer.js'
import { HubError } from '../../protocol/error.js'
import type { Role } from '../../protocol/role.js'
import type { Session } from '../../protocol/session.js'
import type { PermissionMode } from '../../protocol/value.js'

const MODES: Readonly<Record<PermissionMode, { name: string; description: string }>> = {
  default: { name: 'Ask', description: 'Asks before anything that the policy does not allow.' },
  acceptEdits: { name: 'Accept edits', description: 'Edits ordinary files in the folder without asking.' },
  plan: { name: 'Plan', description: 'Reads and plans, and changes nothing until the plan is approved.' },
  dontAsk: { name: "Don't ask", description: 'Denies what it would have to ask for.' },
  auto: { name: 'Auto', description: 'Claude decides what needs permission; the policy still applies.' },
  bypassPermissions: { name: 'Bypass permissions', description: 'Runs everything without asking.' },
}

/** The choice that leaves the effort to the model. */
const NO_EFFORT = 'default'

export type Settings = Pick<Session, 'permissionMode' | 'model' | 'effort'>

/** Only an admin may choose the mode that asks for nothing. It is listed also while it is in force. */
export function modesOf({ permissionMode }: Settings, role: Role): SessionModeState {
  return { currentModeId: permissionMode, availableModes: modeList(permissionMode, role).map(modeOf) }
}

export function configOf(
  settings: Settings,
  models: readonly OfferedModel[],
  role: Role,
): SessionConfigOption[] {
  const { permissionMode, model, effort } = settings
  const current = models.find(
    ({ value, resolved }) => value === model || (model !== null && resolved === model),
  )
  const others = current || model === null ? [] : [{ value: model, name: model }]
  const known = [...models.map(({ value, name, description }) => ({ value, name, description })), ...others]
  const currentModel = current?.value ?? model ?? known[0]?.value
  return [
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: permissionMode,
      options: modeList(permissionMode, role).map((mode) => ({ value: mode, ...MODES[mode] })),
    },
    ...(currentModel === undefined
      ? []
      : [
          {
            id: 'model',
            name: 'Model',
            category: 'model',
            type: 'select' as const,
            currentValue: currentModel,
            options: known,
          },
        ]),
    ...effortOf(effort, current?.efforts ?? []),
  ]
}

/** The change of a session that a choice means. */
export function changeOf(id: string, value: unknown) {
  if (id === 'mode') return { permissionMode: choiceOf('mode', value, permissionModes) }
  if (id === 'model' && typeof value === 'string') return { model: value }
  if (id === 'effort') return { effort: value === NO_EFFORT ? null : choiceOf('effort', value, efforts) }
  throw new HubError(
    'request_invalid',
    `There is no option "${id}" with such values. Options are mode, model and effort.`,
  )
}

function effortOf(effort: Settings['effort'], offered: readonly string[]): SessionConfigOption[] {
  if (offered.length === 0 && effort === null) return []
  const values = [...new Set([NO_EFFORT, ...offered, ...(effort === null ? [] : [effort])])]
  return [
    {
      id: 'effort',
      name: 'Effort',
      category: 'thought_level',
      type: 'select',
      currentValue: effort ?? NO_EFFORT,
      options: values.map((value) => ({ value, name: `${value.charAt(0).toUpperCase()}${value.slice(1)}` })),
    },
  ]
}

function modeList(current: PermissionMode, role: Role): PermissionMode[] {
  return permissionModes.filter(
    (mode) => mode !== 'bypassPermissions' || role === 'admin' || mode === current,
  )
}

function modeOf(mode: PermissionMode) {
  return { id: mode, ...MODES[mode] }
}

function choiceOf<Choice extends string>(name: string, value: unknown, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value)
  if (found !== undefined) return found
  throw new HubError(
    'request_invalid',
    `Unknown ${name} "${String(value)}". Use one of ${choices.join(', ')}.`,
  )
}
