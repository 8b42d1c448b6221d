/**
 * A fast check before the expensive one: matches everything that `protected.ts` could protect, and every odd spelling.
 */

export const SUSPECT_NAME =
  /env|secret|credential|passw|id_|netrc|pgpass|htpasswd|vault-token|s3cfg|boto|pypirc|dockercfg|vault_pass|dev\.vars|_history|\.(?:pem|key|p12|pfx|jks|keystore|p8|ppk|kdbx|tfstate|tfvars)|config|hosts|[^\w. ~+@,=()[\]{}!#$&'-]/i
export const SUSPECT_FOLDER =
  /\/\.?(?:secrets?|credentials|passwords)(?:\/|$)|\/\.(?:ssh|gnupg|password-store|aws|azure|kube|docker|oci|config)(?:\/|$)|[^\w. ~+@,=()[\]{}!#$&'/-]/i

/** Whether a path below a folder may be protected. */
export function isSuspect(path: string): boolean {
  const cut = path.lastIndexOf('/')
  return SUSPECT_NAME.test(path.slice(cut + 1)) || (cut >= 0 && SUSPECT_FOLDER.test(`/${path.slice(0, cut)}`))
}
