/** Linear time, also for a text of slashes. */
export function withoutTrailingSlash(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}
