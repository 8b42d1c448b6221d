/** FIFO queue for one reader, until it is ended. */
export class AsyncQueue<Item> implements AsyncIterable<Item> {
  #items: Item[] = []
  #wake: (() => void) | null = null
  #isEnded = false

  push(item: Item): void {
    if (this.#isEnded) throw new Error('The input has ended.')
    this.#items.push(item)
    this.#wake?.()
  }

  /** Items already pushed are still delivered. */
  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    for (;;) {
      const items = this.#items
      this.#items = []
      yield* items
      if (this.#items.length > 0) continue
      if (this.#isEnded) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
