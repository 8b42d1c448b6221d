/** The host that a request goes to, for the reason that names it. Nothing is decided by it. */

/** Null where it is not plainly readable. User names and passwords are left out. */
export function hostOf(address: string): string | null {
  const found = /^[a-z][a-z0-9+.-]{0,20}:\/\/(?:[^/?#@\s]{0,200}@)?([^/?#@\s\0]{1,200})/i.exec(address)
  return found?.[1] ?? null
}
