import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isProtectedFile } from './protected.js'
import { isSuspect } from './suspect-name.js'

const NAMES =
  `.env .envrc prod.env .env-prod .env.local id_rsa id_ed25519 .netrc _netrc .pgpass .git-credentials .htpasswd .vault-token
  .s3cfg .boto a.pem a.key a.p12 a.pfx a.jks a.keystore secret.json credentials.yml my-password.txt passwd hosts.yml config config.json
  token.txt README.md .pypirc .dockercfg .vault_pass .dev.vars .dev.vars.local a.tfstate a.tfvars a.tfvars.json a.p8 a.ppk a.kdbx
  .bash_history .zsh_history .python_history .psql_history`.split(/\s+/)
const FOLDERS =
  `src .ssh .gnupg .password-store .aws .azure .kube .docker .oci .config gh gcloud secret secrets .secrets credentials passwords`.split(
    ' ',
  )

/** The fast check must never cause a protected file to be missed. */
test('every protected path is suspect', () => {
  const name = fc.constantFrom(...NAMES)
  const decorated = fc.oneof(
    name,
    name.map((it) => it.toUpperCase()),
    fc
      .tuple(fc.constantFrom('', '.', '#', '.#'), name, fc.constantFrom('~', '.swp', '.bak', '#', '.~1~'))
      .map((it) => it.join('')),
    fc
      .tuple(name, fc.string({ maxLength: 3, unit: 'grapheme' }))
      .map((it) => it.join('').replaceAll('/', '')),
  )
  const path = fc.tuple(fc.array(fc.constantFrom(...FOLDERS), { maxLength: 3 }), decorated)
  fc.assert(
    fc.property(path, ([folders, last]) => {
      const whole = [...folders, last].join('/')
      expect(isSuspect(whole) || !isProtectedFile(whole)).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})
