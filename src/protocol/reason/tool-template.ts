/** Reasons about calls of tools other than the shell, and about input that cannot be checked. */

export const toolTemplates = {
  'tool.fetch': 'Sends a request to {host} ({tool}).',
  'tool.network': 'Uses the network ({tool}).',
  'tool.no-path': '{tool} was called without a path.',
  'tool.no-command': '{tool} was called without a command.',
  'tool.no-pattern': '{tool} was called without a pattern.',
  'tool.not-text': 'The field {field} must be text.',
  'tool.unknown-field': '{tool} has no field {field}.',
  'tool.not-bash': 'Only Bash commands are allowed automatically, not {tool}.',
  'tool.no-rule': 'No rule allows {tool}.',
  'tool.unreadable': 'Cannot read the input of the call.',
  'tool.path-too-long': 'The path is too long for any file.',
  'tool.folder-too-long': 'The path of the working directory is too long.',
  'tool.pattern-too-long': 'The pattern is too long or expands to too many names.',
  'tool.too-many-steps': 'Takes too many steps to check; split it into smaller calls.',
  'skill.unknown-fields': 'Skill was called with unknown fields.',
  'skill.too-large': 'The arguments of the skill name too many files to check.',
  'powershell.runs': 'Runs PowerShell commands, which are not checked in detail.',
  'text.hidden': 'Contains invisible or control characters.',
  'text.look-alike': 'Contains characters that look like other characters.',
  'text.mixed-scripts': 'Contains a word that mixes look-alike letters of several scripts.',
} as const
