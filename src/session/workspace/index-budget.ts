/**
 * Bounds what the index of one workspace may cost, whatever a repository contains: a tree without end, names at the end of
 * paths of 4,096 bytes, thousands of ignore rules.
 */

const MAX_ENTRIES = 300_000
/** Of all paths together; in memory each has two forms. */
const MAX_CHARACTERS = 24_000_000
/** Tests of a name against a rule. A large repository takes about ten million. */
const MAX_TESTS = 100_000_000

export class IndexBudget {
  #entries = 0
  #characters = 0
  #tests = 0

  /** An entry of a folder whose path has this length. */
  spendEntry(folderLength: number, name: string): void {
    this.#entries += 1
    this.#characters += folderLength + name.length
  }

  spendTests(count: number): void {
    this.#tests += count
  }

  get isUsedUp(): boolean {
    return this.#entries >= MAX_ENTRIES || this.#characters >= MAX_CHARACTERS || this.#tests >= MAX_TESTS
  }
}
