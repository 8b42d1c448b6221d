/** The product's own files: an agent that could read the token or write the policy would need no permission. */

import type { PolicyRule } from '../protocol/policy.js'

const FILES = 'token,policy.jsonc,config.jsonc,signalbox.db*,daemon.json,lock*'

/** Read, written, copied or deleted, in every mode. The rest of the home (logs, conversations) is judged as usual. */
export function ownFilesRules(homes: readonly string[]): PolicyRule[] {
  const folders = homes.map((home) => home.replaceAll(/[\\*?[\](){}!+@|]/g, '\\$&'))
  return [
    {
      name: 'signalbox-files',
      verdict: 'deny',
      reason: 'These are files of Signalbox itself.',
      when: {
        paths: folders.map((folder) => `${folder}/{${FILES}}`),
        access: ['read', 'write', 'delete', 'move', 'rights', 'copy', 'send'],
      },
    },
    {
      name: 'signalbox-home',
      verdict: 'deny',
      reason: 'This is the folder of Signalbox itself.',
      when: { paths: folders, access: ['delete', 'move', 'rights', 'copy', 'send'] },
    },
  ]
}
