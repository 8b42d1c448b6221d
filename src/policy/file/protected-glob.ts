/** Globs of search programs: whether they target protected files. */

import { expandBraces } from '../../lib/glob/brace.js'
import { fits, sampleOf } from '../../lib/glob/shell-pattern.js'
import { nameOf } from './path.js'
import { protectionOf } from './protected.js'

/** Every alternative counts: `.env*`, `*nv`, `*.pem`, `{secrets,config}/**`. */
export function aimsAtProtected(glob: string): boolean {
  if (glob.length > MAX_LENGTH) return true
  return glob
    .split(/\s+/)
    .filter((part) => part !== '' && !part.startsWith('!'))
    .flatMap((part) => expandBraces(part) ?? ['.env'])
    .some((part) => protectionOf(sampleOf(part)) !== null || aimsByName(nameOf(part)))
}

const MAX_LENGTH = 500

/** It matches a protected name, but not a similar harmless name: `*` and `*.json` match anything. */
function aimsByName(name: string): boolean {
  const lower = name.toLowerCase()
  if (lower.startsWith('.') && fits(lower, '.env')) return true
  return PROTECTED.some(([secret, ordinary]) => fits(lower, secret) && !fits(lower, ordinary))
}

const WORDS = ['secret', 'secrets', 'credential', 'credentials', 'password', 'passwords', 'passwd']
const ENDINGS = ['', '.json', '.yml', '.yaml', '.txt', '.toml', '.ini', '.xml', '.csv']

/** Names of protected files, each with a harmless name of the same shape. */
const PROTECTED: readonly (readonly [string, string])[] = [
  ['.env', '.xqz'],
  ['.env.local', '.xqz.local'],
  ['.env.production', '.xqz.production'],
  ['prod.env', 'prod.xqz'],
  ['.envrc', '.xqzrc'],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519'].map((name) => [name, 'xq_xqz'] as const),
  ...[
    '.netrc',
    '.pgpass',
    '.git-credentials',
    '.htpasswd',
    '.vault-token',
    '.s3cfg',
    '.boto',
    '.pypirc',
    '.dockercfg',
    '.vault_pass',
    '.dev.vars',
  ].map((name) => [name, '.xqzxqz'] as const),
  ...['pem', 'p12', 'pfx', 'jks', 'keystore', 'p8', 'ppk', 'kdbx', 'tfstate', 'tfvars'].map(
    (ending) => [`a.${ending}`, 'a.xqz'] as const,
  ),
  ...WORDS.flatMap((word) => ENDINGS.map((ending) => [`${word}${ending}`, `xqzwv${ending}`] as const)),
]
