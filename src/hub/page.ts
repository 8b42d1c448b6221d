/** A page of a long list: at most `limit` items, and fewer where they are large. */

/** One item may have more than this; then it is a page of its own. */
const PAGE_BYTES = 1024 * 1024

export interface PageFilter<Key> {
  after?: Key
  limit: number
  maxBytes: number
}

export async function readPage<Item, Key extends string | number>(
  { after, limit }: { after?: Key | undefined; limit: number },
  read: (filter: PageFilter<Key>) => Promise<Item[]>,
  keyOf: (item: Item) => Key,
): Promise<{ items: Item[]; next: Key | null }> {
  const found = await read({ ...(after !== undefined && { after }), limit: limit + 1, maxBytes: PAGE_BYTES })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  if (last === undefined) return { items, next: null }
  const key = keyOf(last)
  const isMore = found.length > limit || (await read({ after: key, limit: 1, maxBytes: 1 })).length > 0
  return { items, next: isMore ? key : null }
}
