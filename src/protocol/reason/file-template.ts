/** Reasons about files: the effect on the file, and why it is not allowed automatically. */

import { crossFileCodes, type FileCause, type FileEffect } from './file-code.js'

const EFFECTS: Readonly<Record<FileEffect, string>> = {
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
}

const CAUSES: Readonly<Record<FileCause, string>> = {
  plain: '',
  protected: ', which is protected',
  system: ', a system file',
  control: ', which decides what other programs run',
  outside: ', outside the workspace',
  unknown: ': cannot tell which file that is; use a plain path',
  loop: ', a symlink loop',
  long: ', a path that is too long for any file',
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
  'file.credentials': 'Reads {path}, which contains a password or token.',
  'file.tree-credentials':
    'Reads everything in {path}, including {file}, which contains a password or token.',
  'file.tree-protected': 'Reads everything in {path}, including {file}, which is protected.',
  'file.tree-changed': 'Deletes, moves or opens up {path} with {file}, which is protected.',
  'file.tree-copied': 'Copies everything in {path}, including {file}, which is protected.',
  'file.tree-unchecked':
    'Deletes, moves or opens up {path}, which is too large to check for protected files.',
  'file.tree-too-large': 'Cannot check {path} for protected files: it is too large.',
  'file.unclear': 'Cannot tell what is done with {path}.',
  'file.unseen': 'Cannot see what is at {path}.',
  'file.search-protected': 'Searches protected files ({pattern}).',
  'file.search-outside': 'Searches outside the workspace ({pattern}).',
  'file.shows-protected': 'Shows lines of {path}, which is protected.',
} as const
