/** Deduplicates deltas: how much of a block a subscriber already has, so that repeated or late ones are sent once. */

export interface Written {
  readonly block: string
  readonly text: string
}

export const nothingWritten: Written = { block: '', text: '' }

/** The new part of `text`, which begins `offset` characters into its block. */
export function write(
  { block, text: known }: Written,
  fragment: { block: string; offset: number; text: string },
): readonly [Written, string] {
  const before = block === fragment.block ? known : ''
  const fresh = fragment.text.slice(Math.max(0, before.length - fragment.offset))
  return [{ block: fragment.block, text: before + fresh }, fresh]
}

export function blockOf({ messageId, index }: { messageId: string; index: number }): string {
  return `${messageId}/${index}`
}
