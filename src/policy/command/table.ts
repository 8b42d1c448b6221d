/** Who judges which program. */

import { ACCOUNTS } from './account.js'
import { ARCHIVES } from './archive.js'
import { awk } from './awk.js'
import { BUILTINS } from './builtin.js'
import { CHANGERS } from './change-table.js'
import { date, ps } from './clock.js'
import { container } from './container.js'
import { copy, rsync, scp } from './copy.js'
import { CRYPTO } from './crypto.js'
import { dd, diskTool, format } from './disk.js'
import { EDITORS } from './editor.js'
import { find } from './find.js'
import { git } from './git.js'
import { type Call, type Handler } from './handler.js'
import { interpreter } from './interpreter.js'
import { jq } from './jq.js'
import { NETWORK, SPEAKERS, speaker } from './network.js'
import { POWER } from './power.js'
import { echo, printf } from './print.js'
import { CHECKSUM_SPEC, CHECKSUMS, READERS } from './reader-table.js'
import { remove, shred, TREE_REMOVERS, truncate } from './remove.js'
import { changeRights } from './rights.js'
import { sed } from './sed.js'
import { SHELLS, shell } from './shell.js'
import { fromSpec, type Spec } from './spec.js'
import { commandPrompt, powershell } from './windows.js'
import { wrapper } from './wrapper.js'
import { SPECIAL_WRAPPERS } from './wrapper-special.js'

const handlers = new Map<string, Handler>([
  ...named(Object.keys(READERS), (name) => fromSpec(READERS[name] as Spec)),
  ...named(CHECKSUMS, () => fromSpec(CHECKSUM_SPEC)),
  ...named(['egrep', 'fgrep', 'zgrep', 'ggrep'], () => fromSpec(READERS['grep'] as Spec)),
  ...named(Object.keys(CHANGERS), (name) => fromSpec(CHANGERS[name] as Spec)),
  ...Object.entries(BUILTINS),
  ...Object.entries(POWER),
  ...Object.entries(NETWORK),
  ...named(SPEAKERS, () => speaker),
  ...Object.entries(ARCHIVES),
  ...Object.entries(CRYPTO),
  ...Object.entries(ACCOUNTS),
  ...Object.entries(EDITORS),
  ...Object.entries(SPECIAL_WRAPPERS),
  ...named([...SHELLS], () => shell),
  ...named(['rm', ...TREE_REMOVERS], () => remove),
  ...named(['chmod', 'chown', 'chgrp', 'setfacl', 'chattr'], () => changeRights),
  ...named(['cp', 'mv', 'install', 'ln', 'gcp', 'gmv', 'ginstall'], () => copy),
  ...named(['dd', 'dcfldd', 'dc3dd'], () => dd),
  ...named(['docker', 'podman', 'nerdctl', 'docker-compose', 'lxc', 'crictl'], () => container),
  ...named(['awk', 'gawk', 'mawk', 'nawk'], () => awk),
  ...named(['sed', 'gsed'], () => sed),
  ...named(['powershell', 'pwsh'], () => powershell),
  ['shred', shred],
  ['truncate', truncate],
  ['rsync', rsync],
  ['scp', scp],
  ['format', format],
  ['cmd', commandPrompt],
  ['echo', echo],
  ['printf', printf],
  ['find', find],
  ['gfind', find],
  ['jq', jq],
  ['git', git],
  ['date', date],
  ['ps', ps],
  ['gio', trashOf],
])

function named(names: readonly string[], make: (name: string) => Handler): [string, Handler][] {
  return names.map((name) => [name, make(name)])
}

/** `gio trash FILE`. */
function trashOf(call: Call) {
  const [verb, ...files] = call.args
  const trash = handlers.get('trash')
  if (verb?.text === 'trash' && trash !== undefined) return trash({ ...call, args: files })
  call.reader.ask('program', 'gio is not known to be harmless.', call.span)
  return { text: null, taint: 0, names: null }
}

export function handlerFor(name: string): Handler | null {
  return handlers.get(name) ?? wrapper(name) ?? diskTool(name) ?? interpreter(name)
}

/** Names of programs that are judged, for words that only fit one by a glob. */
export function programNames(): Iterable<string> {
  return handlers.keys()
}

export function isPowerProgram(name: string): boolean {
  return Object.hasOwn(POWER, name)
}
