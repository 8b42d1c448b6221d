/** Reasons about files: what is done to the file, and why that is not allowed automatically. */

const EFFECTS = {
  look: 'Looks at {path}',
  read: 'Reads {path}',
  write: 'Writes {path}',
  delete: 'Deletes {path}',
  'delete-tree': 'Deletes {path} and everything in it',
  move: 'Moves {path}',
  rights: 'Changes the permissions of {path}',
  copy: 'Copies {path}',
  send: 'Sends {path} to another machine',
  make: 'Creates the folder {path}',
} as const

const CAUSES = {
  plain: '',
  protected: ', which is protected',
  system: ', a system file',
  control: ', which decides what other programs run',
  outside: ', outside the workspace',
  unknown: ': cannot tell which file that is; use a plain path',
  loop: ', a symlink loop',
  long: ', a path that is too long for any file',
} as const

export type FileEffect = keyof typeof EFFECTS
export type FileCause = keyof typeof CAUSES
export type FileCode = `file.${FileEffect}.${FileCause}`

/** Every effect with every cause. Other languages build theirs in the same way. */
export function crossFileCodes(
  text: (effect: FileEffect, cause: FileCause) => string,
): Readonly<Record<FileCode, string>> {
  const effects = Object.keys(EFFECTS) as FileEffect[]
  const causes = Object.keys(CAUSES) as FileCause[]
  const entries = effects.flatMap((effect) =>
    causes.map((cause) => [`file.${effect}.${cause}`, text(effect, cause)] as const),
  )
  return Object.fromEntries(entries) as Record<FileCode, string>
}

export const fileTemplates = {
  ...crossFileCodes((effect, cause) => `${EFFECTS[effect]}${CAUSES[cause]}.`),
  'file.delete-all': 'Deletes all of {path}.',
  'file.move-all': 'Moves all of {path}.',
  'file.rights-all': 'Changes the permissions of all of {path}.',
  'file.disk': 'Overwrites the disk {path}.',
  'file.power': 'Stops the machine by writing to {path}.',
  'file.connection': 'Opens a network connection ({path}).',
  'file.device': 'Opens the device {path}.',
  'file.too-many': '{path} matches too many files to check.',
  'file.link-out': '{path} is a link out of the workspace.',
  'file.link-protected': '{path} is a link to a protected file.',
  'file.hard-links': 'Reads {path}, which has other names (hard links) that may be protected.',
  'file.tree-protected': 'Reads everything in {path}, including {file}, which is protected.',
  'file.tree-too-large': 'Cannot check {path} for protected files: it is too large.',
  'file.unseen': 'Cannot see what is at {path}.',
  'file.search-protected': 'Searches protected files ({pattern}).',
  'file.search-outside': 'Searches outside the workspace ({pattern}).',
  'file.shows-protected': 'Shows lines of {path}, which is protected.',
} as const
