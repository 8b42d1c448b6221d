/** Lets those who wait through one by one, in their order, each in a turn of the event loop of its own. */
export class FairQueue {
  #last: Promise<unknown> = Promise.resolve()

  pass(): Promise<void> {
    const passed = this.#last.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
    this.#last = passed
    return passed
  }
}
