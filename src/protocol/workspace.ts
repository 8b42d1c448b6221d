/** Trust in a folder covers its subfolders. */
export function isTrusted(cwd: string, trusted: readonly { readonly path: string }[]): boolean {
  return trusted.some(({ path }) => cwd === path || cwd.startsWith(path === '/' ? path : `${path}/`))
}
