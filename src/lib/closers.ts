/** Open resources, closed in reverse order, once, even if some fail to close. */
export class Closers {
  readonly #onFault: (error: unknown) => void
  #ends: (() => Promise<void> | void)[] = []
  #closing: Promise<void> | null = null

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  /** Returns the thing itself. */
  add<Thing>(thing: Thing, end: (thing: Thing) => Promise<void> | void): Thing {
    this.#ends.unshift(() => end(thing))
    return thing
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    for (const end of this.#ends) {
      try {
        await end()
      } catch (error) {
        this.#onFault(error)
      }
    }
  }
}
