/** A rule from a call: what would have allowed it and its like, and nothing wider than one would say in words. */

import { dirname } from 'node:path'
import type { PolicyRule, RuleConditions } from '../protocol/policy.js'
import type { PolicyCall } from './call.js'
import { judgeCall, worldOf } from './evaluate.js'
import { familyOf } from './grant.js'
import { EDIT_TOOLS, type Judged, SHELL_TOOLS } from './judge-tool.js'
import { isOption } from './match-command.js'
import { isInside } from './path.js'
import type { ReadCommand } from './shell/reader.js'

export function suggestRule(call: PolicyCall): PolicyRule {
  const judged = judgeCall(call)
  const when = conditionsFor(call, judged)
  const about = when.commands?.join(', ') ?? when.paths?.join(', ')
  const name = about === undefined ? `allow ${call.tool}` : `allow ${call.tool}: ${about}`
  return { name: name.slice(0, 100), verdict: 'allow', when }
}

function conditionsFor(call: PolicyCall, judged: Judged): RuleConditions {
  const { tool } = call
  const { realWorkspace } = worldOf(call)
  if (SHELL_TOOLS.has(tool)) {
    const commands = commandsAskedAbout(judged)
    return commands.length > 0
      ? { tools: [tool], commands }
      : { tools: [tool], workspaces: [escape(realWorkspace)] }
  }
  const [use] = judged.uses
  const path = use?.target.real ?? null
  if (use === undefined || path === null || !(EDIT_TOOLS.has(tool) || tool === 'Read'))
    return { tools: [tool] }
  // In the workspace the folder is meant, elsewhere the very file.
  if (!isInside(realWorkspace, path)) return { tools: [tool], paths: [escape(path)] }
  const folder = dirname(path).slice(realWorkspace.length + 1)
  return { tools: [tool], paths: [folder === '' ? '*' : `${escape(folder)}/**`] }
}

/** The families of the commands that are asked about; a command without one as it is. */
function commandsAskedAbout({ findings, shell }: Judged): string[] {
  const commands = shell?.commands ?? []
  const asked = new Set(findings.flatMap(({ command }) => (command === null ? [] : [command])))
  const patterns = [...asked].flatMap((index) => {
    const command = commands[index]
    return command === undefined ? [] : [patternFor(command)]
  })
  return [...new Set(patterns)].slice(0, 100)
}

function patternFor(command: ReadCommand): string {
  const family = familyOf(command)
  if (family !== null) {
    const verbs = family.split(' ')
    const rest = command.words.slice(verbs.length)
    // A wildcard stands for no option: what the command was asked with is written out.
    const others = rest.some(isOption) ? rest.map((word) => (isOption(word) ? escape(word) : '*')) : ['**']
    return [...verbs.map(escape), ...others].join(' ')
  }
  return command.words.map((word) => (word.includes('…') || /\s/.test(word) ? '*' : escape(word))).join(' ')
}

function escape(text: string): string {
  return text.replaceAll(/[\\*?[\](){}!+@|]/g, '\\$&')
}
