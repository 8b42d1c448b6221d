/**
 * The shell functions that Claude Code (2.1.325) puts over programs: in its sessions `grep`, `find` and `rg` are ugrep, bfs
 * and ripgrep out of its own binary. `test/e2e/cli-shell.test.ts` compares this with a session; the range runs commands so.
 */

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface CliFunction {
  /** The name by which the binary is started, which decides what it is. */
  as: string
  words: readonly string[]
  /** With an argument that one of these patterns fits, the real program runs. */
  passes: readonly string[]
}

export const CLI_FUNCTIONS: Readonly<Record<string, CliFunction>> = {
  find: { as: 'bfs', words: ['-S', 'dfs', '-regextype', 'findutils-default'], passes: [] },
  grep: {
    as: 'ugrep',
    words: [
      '-G',
      '--ignore-files',
      '--hidden',
      '-I',
      ...['.git', '.svn', '.hg', '.bzr', '.jj', '.sl'].map((name) => `--exclude-dir=${name}`),
    ],
    passes: [
      '-*-filter*',
      '-*-pager*',
      '-*-view*',
      '-*-format-open*',
      '-*-config*',
      '---*',
      '-@*',
      '-*-save-config*',
      '-[Zz]*',
      '-[!-]*[Zz]*',
      '--null',
      '--null-data',
    ],
  },
  rg: { as: 'rg', words: [], passes: [] },
}

/** Versions of the programs in the binary: with another one, its options must be read again. */
export const CLI_VERSIONS: Readonly<Record<string, RegExp>> = {
  find: /^bfs 4\.1\./,
  grep: /^ugrep 7\.8\./,
  rg: /^ripgrep 14\./,
}

/** Text for bash that defines them. */
export function cliFunctions(binary: string): string {
  return Object.entries(CLI_FUNCTIONS)
    .map(([name, { as, words, passes }]) => {
      const guard =
        passes.length === 0
          ? ''
          : `local _cc_a; for _cc_a in "$@"; do case "$_cc_a" in ${passes.join('|')}) command ${name} "$@"; return ;; esac; done; `
      return `function ${name} { ${guard}(exec -a ${as} ${binary} ${words.join(' ')} "$@"); }`
    })
    .join('\n')
}

/** The binary of the CLI that is installed here; null if there is none for this platform. */
export function cliBinary(): string | null {
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/package.json`
  try {
    const path = join(dirname(createRequire(import.meta.url).resolve(name)), 'claude')
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}
