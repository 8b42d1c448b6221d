/** The folder of a filter: it covers itself and everything below it. */

/** The root becomes empty, so that a slash after it begins every path. */
export function withoutSlash(folder: string): string {
  let end = folder.length
  while (folder[end - 1] === '/') end -= 1
  return folder.slice(0, end)
}

export function isInFolder(path: string, folder: string): boolean {
  const start = withoutSlash(folder)
  return path === start || path.startsWith(`${start}/`)
}
