/** Makes text from a grammar at random and keeps which productions it used. */

import type { Random } from '../../../bench/policy-rewrite.js'

/** The alternatives of one symbol, by name. */
export type Alternatives = Readonly<Record<string, (make: Maker) => string>>

export class Maker {
  readonly random: Random
  readonly used = new Set<string>()
  #depth = 0

  constructor(random: Random) {
    this.random = random
  }

  /** One of the alternatives; each that is used counts as a production, `symbol: name`. */
  from(symbol: string, alternatives: Alternatives): string {
    const names = Object.keys(alternatives)
    const name = this.pick(names)
    this.used.add(`${symbol}: ${name}`)
    this.#depth++
    const text = alternatives[name]?.(this) ?? ''
    this.#depth--
    return text
  }

  get depth(): number {
    return this.#depth
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  /** From one to `most`. */
  number(most: number): number {
    return 1 + Math.floor(this.random() * most)
  }

  /** The text with a probability, else nothing. */
  maybe(share: number, text: () => string): string {
    return this.chance(share) ? text() : ''
  }

  /** Between `least` and `most` texts. */
  several(least: number, most: number, text: () => string): string[] {
    const count = least + Math.floor(this.random() * (most - least + 1))
    return Array.from({ length: count }, text)
  }
}

/** Joins what is not empty by blanks. */
export function words(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(' ')
}

/** Any of the options, none of them twice. */
export function options(make: Maker, choices: readonly string[], most = 2): string {
  return words(...new Set(make.several(0, most, () => make.pick(choices))))
}
