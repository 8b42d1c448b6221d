/** Maps each program to its judge. */

import { reason } from '../../protocol/reason/reason.js'
import { BUILTINS } from './builtin.js'
import { git } from './git/git.js'
import { type Call, type Handler } from './handler.js'
import { awk } from './language/awk.js'
import { EDITORS } from './language/editor.js'
import { find } from './language/find.js'
import { interpreter } from './language/interpreter.js'
import { jq } from './language/jq.js'
import { echo, printf } from './language/print.js'
import { sed } from './language/sed.js'
import { SHELLS, shell } from './language/shell.js'
import { CHECKSUM_SPEC, CHECKSUMS, READERS } from './read-only-programs.js'
import { fromSpec, type Spec } from './spec.js'
import { ACCOUNTS } from './system/account.js'
import { ARCHIVES } from './system/archive.js'
import { date, ps } from './system/clock.js'
import { container } from './system/container.js'
import { copy, rsync, scp } from './system/copy.js'
import { CRYPTO } from './system/crypto.js'
import { dd, diskTool, format } from './system/disk.js'
import { NETWORK, SPEAKERS, speaker } from './system/network.js'
import { POWER } from './system/power.js'
import { remove, shred, TREE_REMOVERS, truncate } from './system/remove.js'
import { changeRights } from './system/rights.js'
import { ip } from './system/route.js'
import { commandPrompt, powershell } from './system/windows.js'
import { wrapper } from './wrapper.js'
import { SPECIAL_WRAPPERS } from './wrapper-special.js'
import { CHANGERS } from './writing-programs.js'

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
  ['ip', ip],
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
  call.context.ask('program', reason('program.unlisted', { name: 'gio' }), call.span)
  return { text: null, taint: 0, names: null }
}

export function handlerFor(name: string): Handler | null {
  return handlers.get(name) ?? wrapper(name) ?? diskTool(name) ?? interpreter(name)
}

/** The names of all programs with a judge, for words that match one only by a glob. */
export function programNames(): Iterable<string> {
  return handlers.keys()
}

export function isPowerProgram(name: string): boolean {
  return Object.hasOwn(POWER, name)
}
