/** Meaning of a matcher, as Claude Code (2.1.325) reads it. */

/** Names that tools once had. Matchers may still use them. */
export const FORMER_TOOL_NAMES: Readonly<Record<string, string>> = {
  Task: 'Agent',
  KillShell: 'TaskStop',
  KillBash: 'TaskStop',
  ListPeers: 'ListAgents',
  Brief: 'SendUserMessage',
  ListMcpResources: 'ListMcpResourcesTool',
  ReadMcpResource: 'ReadMcpResourceTool',
  ReadMcpResourceDir: 'ReadMcpResourceDirTool',
}

/**
 * Empty, "*" or absent: everything. Only letters, digits, "_", "-", spaces, "," and "|": a list of exact names. All else is
 * a regular expression that may match anywhere. Case matters. Null if it is none of these.
 */
export function readMatcher(matcher: string | undefined): ((subject: string) => boolean) | null {
  if (matcher === undefined || matcher === '' || matcher === '*') return () => true
  if (/^[a-zA-Z0-9_|, -]+$/.test(matcher)) {
    const names = new Set(matcher.split(/[|,]/).map((name) => currentName(name.trim())))
    return (subject) => names.has(currentName(subject))
  }
  try {
    const expression = new RegExp(matcher)
    return (subject) => [subject, ...formerNames(subject)].some((name) => expression.test(name))
  } catch {
    return null
  }
}

function currentName(name: string): string {
  return Object.hasOwn(FORMER_TOOL_NAMES, name) ? (FORMER_TOOL_NAMES[name] ?? name) : name
}

function formerNames(name: string): string[] {
  return Object.keys(FORMER_TOOL_NAMES).filter((former) => FORMER_TOOL_NAMES[former] === name)
}
