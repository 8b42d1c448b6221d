/** Names of worktrees. Has no schema, so that it loads quickly. */

/** Words of a prompt as a name. */
export function slugOf(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.slice(0, 5).join('-').slice(0, 40).replace(/-$/, '')
  return slug === '' ? 'session' : slug
}
