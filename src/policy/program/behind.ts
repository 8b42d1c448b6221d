/**
 * Unlisted programs, such as runners of projects, may run the program that stands behind some of their words:
 * `uv run rm -rf ~`, `pnpm exec rm -rf ~`. How they treat their words is not known, so only denials count.
 */

import { nameOf } from '../file/path.js'
import type { Call } from './handler.js'
import { SHELLS } from './language/shell.js'

/** Programs that can do what no mode allows. */
const RUN: ReadonlySet<string> = new Set([
  ...SHELLS,
  ...`rm rmdir rimraf trash shred srm dd find chmod chown chgrp mv cp truncate tee env sudo doas xargs nohup timeout
  eval exec python python3 node perl ruby shutdown reboot poweroff halt kill`.split(/\s+/),
])
/** They have judges of their own, and also run what stands behind their words. */
export const RUNNERS: ReadonlySet<string> = new Set([
  'npm',
  'ip',
  'xterm',
  'gnome-terminal',
  'konsole',
  'start-stop-daemon',
])
/** Their words run on another machine, where paths name other files. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  'adb vagrant heroku fly flyctl gcloud aws az oc multipass limactl lima colima minikube ansible salt'.split(
    ' ',
  ),
)
const MAX_WORDS = 40
const MAX_TRIES = 3

export function judgeBehind({ context, name, args, span }: Call): void {
  if (ELSEWHERE.has(name)) return
  let tries = 0
  for (const [at, { text }] of args.slice(0, MAX_WORDS).entries()) {
    if (tries >= MAX_TRIES) return
    if (!RUN.has(nameOf(text)) || args[at + 1] === undefined) continue
    tries++
    context.onlyDenials(() => context.inSubshell(() => context.runWords(args.slice(at), span)))
  }
}
