/** Secrets that agents may get to see: the values in the protected files of a workspace, and of a call. */

import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readSmallFile } from '../../lib/file/regular-file.js'
import { secretsInFile } from '../../lib/redact/secret-value.js'
import { isProtectedFile } from '../../policy/file/protected.js'

const MAX_FILES = 20
/** A larger file is not a file of secrets. */
const MAX_BYTES = 256 * 1024
/** Longer texts are content to write, not the name of a file to read. */
const MAX_NAMING_TEXT = 10_000

/** Those of the files that lie in the folder itself: however a tool comes by them, they are known. Never rejects. */
export async function secretsOfFolder(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return readAll(names.filter((name) => isProtectedFile(name)).map((name) => join(folder, name)))
}

/** Those of the files that a call names, before the tool runs. Never rejects. */
export async function secretsTouched(input: unknown, cwd: string): Promise<string[]> {
  const words = [...new Set(wordsIn(input))].filter((word) => isProtectedFile(word))
  return readAll(words.map((word) => resolve(cwd, word)))
}

async function readAll(paths: readonly string[]): Promise<string[]> {
  return (await Promise.all(paths.slice(0, MAX_FILES).map(readSecrets))).flat()
}

async function readSecrets(path: string): Promise<string[]> {
  try {
    return secretsInFile((await readSmallFile(path, MAX_BYTES)).toString('utf8'))
  } catch {
    return [] // An agent of the same user cannot read it either.
  }
}

function* wordsIn(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length <= MAX_NAMING_TEXT)
    yield* value.split(/[\s"'`=;|&<>(){}]+/).filter((word) => word !== '')
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) yield* wordsIn(item)
}
