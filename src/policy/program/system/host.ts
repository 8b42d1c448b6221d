/** The host of a request, only for the text of the reason. No decision depends on it. */

/** Null if it cannot be read plainly. User names and passwords are left out. */
export function hostOf(address: string): string | null {
  const found = /^[a-z][a-z0-9+.-]{0,20}:\/\/(?:[^/?#@\s]{0,200}@)?([^/?#@\s\0]{1,200})/i.exec(address)
  return found?.[1] ?? null
}
