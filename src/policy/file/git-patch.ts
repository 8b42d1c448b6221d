/** A rebase that has stopped keeps the changes that it applies as text, also those of protected files. */
export function isRebasePatch(folder: string, name: string): boolean {
  return /\/rebase-(?:apply|merge)$/.test(folder) && /^(?:patch|\d{4})$/.test(name)
}
