/** A network of two machines: this one, and a phone in a network namespace of its own. Needs root and `ip`. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { whenDone } from './when-done.js'

export interface PhoneNetwork {
  /** Addresses of this machine and of the phone. */
  here: string
  phone: string
  /** Runs a script of Node on the phone; resolves with what it prints. */
  node(script: string, args: string[], env?: Record<string, string>): Promise<string>
  /** The same for a server, which prints lines. */
  serve(script: string, args: string[]): { nextLine(): Promise<string> }
  /** A program for a program of this machine that runs on the phone. */
  program(folder: string, path: string): string
}

/** Null if a namespace can be made; otherwise why not. */
export function problemWithNamespaces(): string | null {
  if (process.getuid?.() !== 0) return 'needs root, to make a network namespace'
  try {
    execFileSync('ip', ['netns', 'add', NAME], { stdio: 'pipe' })
    execFileSync('ip', ['netns', 'del', NAME], { stdio: 'pipe' })
    return null
  } catch {
    return 'needs "ip netns", and the right to use it'
  }
}

const NAME = `phone-${process.pid}`
const LINK = `ph${process.pid}`

export function makePhoneNetwork(): PhoneNetwork {
  const subnet = `10.77.${process.pid % 250}`
  const [here, phone] = [`${subnet}.1`, `${subnet}.2`]
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' })
  const children: ChildProcess[] = []
  ip('netns', 'add', NAME)
  whenDone(() => {
    for (const child of children) child.kill('SIGKILL')
    ip('netns', 'del', NAME)
  })
  ip('link', 'add', LINK, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', NAME)
  ip('addr', 'add', `${here}/30`, 'dev', LINK)
  ip('link', 'set', LINK, 'up')
  for (const command of ['link set lo up', `addr add ${phone}/30 dev eth0`, 'link set eth0 up'])
    ip('-n', NAME, ...command.split(' '))

  const start = (script: string, args: string[], env: Record<string, string> = {}) => {
    const command = ['netns', 'exec', NAME, process.execPath, '-e', script, ...args]
    const child = spawn('ip', command, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    return child
  }
  return {
    here,
    phone,
    async node(script, args, env) {
      const child = start(script, args, env)
      let output = ''
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`The script ended with ${code}.`)
      return output
    },
    serve(script, args) {
      const lines: string[] = []
      let wake = () => {}
      createInterface({ input: start(script, args).stdout ?? process.stdin }).on('line', (line) => {
        lines.push(line)
        wake()
      })
      return {
        async nextLine() {
          while (lines.length === 0)
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          return lines.shift() ?? ''
        },
      }
    },
    program(folder, path) {
      const file = join(folder, 'on-phone')
      writeFileSync(file, `#!/bin/sh\nexec ip netns exec ${NAME} ${path} "$@"\n`)
      chmodSync(file, 0o755)
      return file
    },
  }
}
