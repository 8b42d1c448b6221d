/** Whether objects of git hold protected files. By their trees, whether a commit, a tag or nothing refers to those. */

import { secretsInFile } from '../../lib/redact/secret-value.js'
import { isProtectedFile } from '../../policy/file/protected.js'
import { contentScript, type ObjectPlace, surveyScript } from './git-script.js'
import { readSurvey } from './git-survey.js'
import { entriesIn, objectsIn } from './git-tree.js'

/** Runs a script of bash in the jail; null if it failed or printed too much. */
export type RunScript = (script: string, input: string) => Promise<Buffer | null>

export interface NewObjects extends ObjectPlace {
  /** Index files of packs. */
  packs: readonly string[]
  /** Ids of loose objects. */
  loose: readonly string[]
  /** Index files of work trees. */
  indexes: readonly string[]
}

const MAX_NAMELESS = 20_000
const MAX_NAMELESS_BYTES = 64 * 1024
const MAX_TREES = 20_000
const ANY_SIZE = 1024 ** 3

/** Null: that cannot be known. */
export async function holdProtected(found: NewObjects, run: RunScript): Promise<boolean | null> {
  const output = await run(surveyScript(found, found.packs, found.indexes), lines(found.loose))
  const survey = output && readSurvey(output)
  if (survey === null) return null
  if (survey.hasProtectedName) return true
  const read = (ids: readonly string[], maxBytes: number) => run(contentScript(found, maxBytes), lines(ids))
  const isInFolder = await lieInProtectedFolder(survey.subtrees, (ids) => read(ids, ANY_SIZE))
  if (isInFolder !== false) return isInFolder
  if (survey.nameless.length > MAX_NAMELESS) return null
  if (survey.nameless.length === 0) return false
  const contents = await read(survey.nameless, MAX_NAMELESS_BYTES)
  if (contents === null) return null
  for (const { type, content } of objectsIn(contents))
    if (type === 'blob' && looksSecret(content.toString('utf8'))) return true
  return false
}

/** The same tree may lie in several folders, so its path is followed from each that matters. */
async function lieInProtectedFolder(
  subtrees: readonly { id: string; folder: string }[],
  read: (ids: readonly string[]) => Promise<Buffer | null>,
): Promise<boolean | null> {
  const seen = new Set<string>()
  let pending = [...subtrees]
  while (pending.length > 0) {
    const round = pending.filter(({ id, folder }) => !seen.has(`${id} ${folder}`))
    for (const { id, folder } of round) seen.add(`${id} ${folder}`)
    if (seen.size > MAX_TREES) return null
    const output = await read([...new Set(round.map(({ id }) => id))])
    if (output === null) return null
    const trees = new Map([...objectsIn(output)].map((object) => [object.id, [...entriesIn(object)]]))
    pending = []
    for (const { id, folder } of round) {
      for (const entry of trees.get(id) ?? []) {
        const path = `${folder}/${entry.name}`
        if (entry.isTree) pending.push({ id: entry.id, folder: path })
        else if (isProtectedFile(`/${path}`)) return true
      }
    }
  }
  return false
}

/** A blob without a name is classified by its content: an environment file with secret values, or a private key. */
function looksSecret(text: string): boolean {
  if (text.trimStart().startsWith('-----BEGIN ')) return text.includes('PRIVATE KEY-----')
  const settings = text.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line))
  const isEnvironment = settings.every((line) => /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=/.test(line))
  return settings.length > 0 && isEnvironment && secretsInFile(text).length > 0
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('')
}
