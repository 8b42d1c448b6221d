/**
 * Scripts that ask git about objects, for bash in the jail. Git gets a repository of our own with nothing in it, and only
 * the objects of the real one: no configuration, no references, no replaced objects and no grafts decide what it shows.
 */

import { shellWord } from '../shell-word.js'

export interface ObjectPlace {
  /** The folder `objects`. */
  objects: string
  isSha256: boolean
}

function prelude({ objects, isSha256 }: ObjectPlace): string[] {
  const format = isSha256 ? String.raw`1\n[extensions]\n\tobjectFormat = sha256` : '0'
  return [
    'set -o pipefail',
    `export GIT_DIR=/tmp/git GIT_OBJECT_DIRECTORY=${word(objects)} GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1`,
    'export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_GRAFT_FILE=/dev/null',
    'mkdir -p /tmp/git/objects /tmp/git/refs',
    String.raw`printf 'ref: refs/heads/none\n' > /tmp/git/HEAD`,
    String.raw`printf '[core]\n\trepositoryformatversion = ${format}\n' > /tmp/git/config`,
  ]
}

/**
 * Of the objects whose ids it reads, and of those in packs: a line `ID TYPE` each, an empty line; then the names in the
 * indexes with a NUL behind each and one at the end; then all that are no blobs. `ok` at the end if nothing failed.
 */
export function surveyScript(
  place: ObjectPlace,
  packs: readonly string[],
  indexes: readonly string[],
): string {
  const format = place.isSha256 ? ' --object-format=sha256' : ''
  const inPacks = packs.map((pack) => `git show-index${format} < ${word(pack)} | cut -d ' ' -f 2`)
  return [
    ...prelude(place),
    `{ ${['cat', ...inPacks].join(' && ')}; } | git cat-file --buffer --batch-check='%(objectname) %(objecttype)' > /tmp/all || exit 1`,
    'cat /tmp/all; echo',
    ...indexes.map((index) => `GIT_INDEX_FILE=${word(index)} git ls-files -z || exit 1`),
    String.raw`printf '\0'`,
    `{ grep -v ' blob$' /tmp/all || true; } | cut -d ' ' -f 1 | git cat-file --buffer --batch || exit 1`,
    'echo ok',
  ].join('\n')
}

/** The objects whose ids it reads, if they are not larger; `ok` at the end. */
export function contentScript(place: ObjectPlace, maxBytes: number): string {
  return [
    ...prelude(place),
    `git cat-file --buffer --batch-check='%(objectname) %(objectsize)' | awk '$2 <= ${maxBytes} { print $1 }' | git cat-file --buffer --batch || exit 1`,
    'echo ok',
  ].join('\n')
}

function word(text: string): string {
  const quoted = shellWord(text)
  if (quoted === null) throw new Error('A path of the repository cannot be written for a shell.')
  return quoted
}
