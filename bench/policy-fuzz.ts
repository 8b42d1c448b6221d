/** Random calls of every kind: pieces of shell, noise, and inputs of the wrong shape. */

import type { Random } from './policy-rewrite.js'

const PIECES =
  `rm|-rf|/|~|*|.|..|.env|secrets/x|$HOME|"|'|\`|$(|)|\${|}|((|))|{|}|<(|>(|<<EOF|<<<|>|>>|<|2>&1|&>|&&|\\|\\||;|;;|\\||&|\\n|
|(|)|[[|]]|[|]|if|then|else|fi|for|in|do|done|while|case|esac|function f|f(){|:|!|#|\\|\\\\|=|X=1|$X|\${X:-/}|\${!X}|$((1+2))|$'\\x2f'|$"a"|
sudo|env|bash -c|eval|xargs|find . -delete|-exec|{} \\;|sed -i|awk '{print}'|git log|ls -la|cat|echo|curl x|sh|python3 -c|@|%2e|é|ß|\u0000|\u202e|
\ud800|😀|\r|\t| |~root|/etc/passwd|/dev/sda|.ssh|a|b|0|1|-|--|--output=|+|,|{a,b}|{1..9}|?|[a-z]|@(a|b)|EOF`.split(
    '|',
  )

const TOOLS = [
  'Bash',
  'Bash',
  'Bash',
  'Bash',
  'Read',
  'Write',
  'Edit',
  'Grep',
  'Glob',
  'Monitor',
  'PowerShell',
  'NotebookEdit',
  'mcp__a__write',
  'toString',
  '',
]
const KEYS = [
  'command',
  'file_path',
  'path',
  'pattern',
  'glob',
  'content',
  'notebook_path',
  '__proto__',
  'constructor',
  'dangerouslyDisableSandbox',
]

export function randomCall(random: Random): { tool: string; input: unknown } {
  const tool = pick(TOOLS, random)
  const chance = random()
  if (chance < 0.75) {
    const text = randomText(random)
    const key =
      tool === 'Read' || tool === 'Write' || tool === 'Edit'
        ? 'file_path'
        : tool === 'Grep' || tool === 'Glob'
          ? 'pattern'
          : 'command'
    return { tool, input: { [key]: text } }
  }
  return { tool, input: randomValue(random, 0) }
}

function randomText(random: Random): string {
  const length = random() < 0.02 ? 400 : Math.floor(random() * 14)
  const isNoise = random() < 0.2
  return Array.from({ length }, () =>
    isNoise
      ? String.fromCharCode(Math.floor(random() * (random() < 0.8 ? 128 : 65_536)))
      : pick(PIECES, random),
  ).join(random() < 0.7 ? ' ' : '')
}

function randomValue(random: Random, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 3 ? 6 : 8))
  switch (kind) {
    case 0:
      return null
    case 1:
      return undefined
    case 2:
      return random() * 1000 - 500
    case 3:
      return random() < 0.5
    case 4:
    case 5:
      return randomText(random)
    case 6:
      return Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, depth + 1))
    default:
      return Object.fromEntries(
        Array.from({ length: Math.floor(random() * 4) }, () => [
          pick(KEYS, random),
          randomValue(random, depth + 1),
        ]),
      )
  }
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item
}
