/**
 * Remembers what the CLI offers: its models, and the commands of each folder. Stored, so that the hub can list them while
 * no process is live.
 */

import type { Clock } from '../lib/clock.js'
import { asList, asRecord, asText, asTexts } from '../lib/read-json.js'
import { redactJsonInSlices } from '../lib/redact/redact-json.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import { efforts } from '../protocol/choice.js'
import type { FolderOffer, OfferedCommand, OfferedModel, OfferedModels } from '../protocol/compose/offer.js'
import { COMMANDS_PREFIX, commandsKey, MODELS_KEY } from '../protocol/compose/offer-key.js'
import { previewOf } from '../protocol/view/preview.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import type { Claude } from './claude/port.js'

export interface OfferRecordDeps {
  store: Pick<RunnerStore, 'state' | 'setState' | 'states'>
  clock: Clock
  secrets: Pick<SecretSet, 'redactEchoInSlices'>
}

const MAX_MODELS = 100
const MAX_COMMANDS = 500
const MAX_DESCRIPTION = 300
/** Folders whose commands are kept; the oldest are dropped. */
const MAX_FOLDERS = 100

export class OfferRecord {
  readonly #deps: OfferRecordDeps
  /** The values that were stored last, so that the same is not written at every start of a process. */
  readonly #stored = new Map<string, string>()

  constructor(deps: OfferRecordDeps) {
    this.#deps = deps
  }

  /** `skills`: the names of the commands that are skills. Never rejects for what the process does not answer. */
  async note(cwd: string, skills: readonly string[], claude: Pick<Claude, 'inspect'>): Promise<void> {
    const models = readModels(await this.#ask(claude, 'models'))
    const commands = readCommands(await this.#ask(claude, 'commands'), new Set(skills))
    const seenAt = new Date(this.#deps.clock.now()).toISOString()
    if (models.length > 0) await this.#save(MODELS_KEY, models, { models, seenAt } satisfies OfferedModels)
    if (commands.length === 0) return
    if (await this.#save(commandsKey(cwd), commands, { commands, seenAt } satisfies FolderOffer))
      await this.#dropOldest()
  }

  async #ask(claude: Pick<Claude, 'inspect'>, what: 'models' | 'commands'): Promise<unknown> {
    const value = await claude.inspect(what).catch(() => [])
    return redactJsonInSlices(value, this.#deps.secrets.redactEchoInSlices)
  }

  /** Resolves with whether it was written. */
  async #save(key: string, content: unknown, value: unknown): Promise<boolean> {
    const text = JSON.stringify(content)
    if (this.#stored.get(key) === text) return false
    await this.#deps.store.setState(key, JSON.stringify(value))
    this.#stored.set(key, text)
    return true
  }

  async #dropOldest(): Promise<void> {
    const kept = await this.#deps.store.states(COMMANDS_PREFIX)
    if (kept.length <= MAX_FOLDERS) return
    const seen = kept.map(({ key, value }) => ({ key, seenAt: seenAtOf(value) }))
    const oldest = seen.toSorted((one, other) => (one.seenAt < other.seenAt ? -1 : 1))
    for (const { key } of oldest.slice(0, kept.length - MAX_FOLDERS)) {
      await this.#deps.store.setState(key, null)
      this.#stored.delete(key)
    }
  }
}

function seenAtOf(text: string): string {
  try {
    return asText(asRecord(JSON.parse(text))['seenAt']) ?? ''
  } catch {
    return ''
  }
}

function readModels(value: unknown): OfferedModel[] {
  return asList(value)
    .map(asRecord)
    .flatMap((model) => {
      const id = asText(model['value'])
      if (!id) return []
      const supported = asTexts(model['supportedEffortLevels'])
      return [
        {
          value: id,
          resolved: asText(model['resolvedModel']),
          name: asText(model['displayName']) ?? id,
          description: previewOf(asText(model['description']) ?? '', MAX_DESCRIPTION),
          efforts: efforts.filter((effort) => supported.includes(effort)),
        },
      ]
    })
    .slice(0, MAX_MODELS)
}

function readCommands(value: unknown, skills: ReadonlySet<string>): OfferedCommand[] {
  return asList(value)
    .map(asRecord)
    .flatMap((command): OfferedCommand[] => {
      const name = asText(command['name'])
      // The CLI calls commands with underscores itself.
      if (!name || name.startsWith('_')) return []
      return [
        {
          name,
          description: previewOf(asText(command['description']) ?? '', MAX_DESCRIPTION),
          argumentHint: previewOf(asText(command['argumentHint']) ?? '', MAX_DESCRIPTION),
          kind: skills.has(name) ? 'skill' : 'command',
        },
      ]
    })
    .slice(0, MAX_COMMANDS)
}
