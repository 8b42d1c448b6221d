/** Containers: effects stay inside, except in mounted folders of this machine. */

import { reason } from '../../../protocol/reason/reason.js'
import { absolute, isInside } from '../../file/path.js'
import { type Field, literal, type Stream } from '../../shell/field.js'
import { ANYTHING } from '../../shell/stream.js'
import { type Call, type Handler } from '../handler.js'
import type { JudgeContext, Mount } from '../judge-context.js'
import { optionTable, readArguments } from '../option.js'
import { uploader } from './network.js'

const RUN = optionTable(
  `+stop -ditPq -a: -c: -e: -h: -l: -m: -p: -u: -v: -w: --rm --init --privileged --read-only --detach --interactive
  --tty --volume: --mount: --workdir: --env: --env-file:read --name: --network: --net: --entrypoint: --user: --publish:
  --expose: --hostname: --label: --memory: --cpus: --gpus: --device: --cap-add: --cap-drop: --security-opt: --add-host:
  --dns: --link: --log-driver: --log-opt: --pid: --ipc: --platform: --pull: --restart: --runtime: --shm-size: --stop-signal:
  --sysctl: --tmpfs: --ulimit: --userns: --volumes-from: --group-add: --health-cmd: --cidfile:write --isolation: -T
  --no-deps --service-ports --use-aliases --index: --detach-keys: --latest --container: -n: --namespace: --context: -f:
  --file: --project-name: --profile:`,
)

export const container: Handler = (call) => {
  const { context, name, args, span } = call
  context.ask('code', reason('program.containers', { name }), span)
  const words = args.filter(({ text }, index) => !(index === 0 && text === 'compose'))
  const at = words.findIndex(({ text }) => /^(?:run|exec|create)$/.test(text))
  const verb = at === -1 ? undefined : words[at]?.text
  if (verb === undefined || verb === 'create') return uploader(call)
  const given = readArguments(RUN, words.slice(at + 1))
  const file = given.valueOf('env-file')
  if (file !== null) context.access('read', file)
  const [, ...command] = given.operands
  const entry = given.valueOf('entrypoint')
  const inner = entry === null ? command : [entry, ...command]
  if (inner.length === 0) return ANYTHING
  const volumes = given.options
    .filter((option) => /^(?:v|volume|mount)$/.test(option.name))
    .flatMap(({ value }) => value ?? [])
  const mounts = volumes.flatMap((value) => readVolume(context, value))
  const folder = given.valueOf('w', 'workdir')?.text ?? '/'
  return context.elsewhere(mountTable(mounts, given.has('privileged')), folder, () =>
    runInside(context, inner, call),
  )
}

function runInside(context: JudgeContext, words: readonly Field[], { span }: Call): Stream {
  const before = context.findings.length
  const out = context.runWords(words, span)
  // A container can only power off itself.
  const kept = context.findings
    .slice(before)
    .filter(({ rule, verdict }) => !(verdict === 'deny' && rule === 'power'))
  context.findings.length = before
  context.findings.push(...kept)
  return { ...out, text: null }
}

interface Volume {
  inside: string
  outside: string
}

function readVolume(context: JudgeContext, { text, span }: Field): Volume[] {
  const pairs = Object.fromEntries(
    text.split(',').map((part) => part.split('=', 2) as [string, string | undefined]),
  )
  const source = pairs['source'] ?? pairs['src']
  const target = pairs['target'] ?? pairs['destination'] ?? pairs['dst']
  const [left, right] = source === undefined ? text.split(':') : [source, target]
  if (left === undefined || right === undefined || !/^[/.~]/.test(left)) return []
  const outside = context.targets(literal(atHome(left, context), span))[0]?.path
  return outside === undefined ? [] : [{ inside: absolute('/', right), outside }]
}

/** `-v ~:/d`: the shell does not expand the tilde, the program does. */
function atHome(path: string, { environment }: JudgeContext): string {
  return /^~(?=\/|$)/.test(path) ? `${environment.home}${path.slice(1)}` : path
}

function mountTable(volumes: readonly Volume[], isPrivileged: boolean): Mount {
  const deepest = volumes.toSorted((first, second) => second.inside.length - first.inside.length)
  return (path) => {
    const full = absolute('/', path)
    const found = deepest.find(({ inside }) => isInside(inside, full))
    if (found !== undefined) {
      const rest = found.inside === '/' ? full : full.slice(found.inside.length)
      return absolute('/', `${found.outside}/${rest}`)
    }
    return isPrivileged && full.startsWith('/dev/') ? full : null
  }
}
