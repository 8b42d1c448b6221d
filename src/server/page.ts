/** Pages of lists that are in memory. */

/** A page of a list that is in memory, behind the one that the cursor names. */
export function pageOf<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
  idOf: (item: Item) => string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Record<Name, Item[]> & { nextCursor: string | null } {
  const start = cursor === undefined ? 0 : items.findIndex((item) => idOf(item) === cursor) + 1
  const page = items.slice(start, start + limit)
  const last = page.at(-1)
  const isMore = last !== undefined && start + limit < items.length
  // One key that is not known here: the type of a computed name is any string.
  return { [name]: page, nextCursor: isMore ? idOf(last) : null } as Record<Name, Item[]> & {
    nextCursor: string | null
  }
}
