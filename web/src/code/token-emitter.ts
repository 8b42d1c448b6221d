/**
 * Collects the tokens of highlight.js as values. XSS: its own emitter would make HTML of the code, and the page never creates
 * HTML from text. It is given as `__emitter`, which the types of highlight.js 11 list and other renderers use, too.
 */

import type { Emitter } from 'highlight.js'
import type { Kind, Part } from './colored-line.js'

const KIND_OF_SCOPE: Readonly<Record<string, Kind>> = {
  addition: 'string',
  attr: 'attribute',
  attribute: 'attribute',
  built_in: 'type',
  bullet: 'number',
  char: 'string',
  class: 'type',
  code: 'string',
  comment: 'comment',
  deletion: 'keyword',
  doctag: 'comment',
  function: 'title',
  keyword: 'keyword',
  link: 'string',
  literal: 'number',
  meta: 'attribute',
  name: 'keyword',
  number: 'number',
  property: 'attribute',
  quote: 'comment',
  regexp: 'string',
  section: 'title',
  'selector-attr': 'attribute',
  'selector-class': 'title',
  'selector-id': 'title',
  'selector-pseudo': 'type',
  'selector-tag': 'keyword',
  string: 'string',
  symbol: 'number',
  'template-tag': 'keyword',
  'template-variable': 'attribute',
  title: 'title',
  type: 'type',
  variable: 'attribute',
}

export class TokenEmitter implements Emitter {
  readonly parts: Part[] = []
  readonly #kinds: (Kind | null)[] = []

  addText(text: string): void {
    if (text !== '') this.parts.push({ text, kind: this.#kinds.at(-1) ?? null })
  }

  /** A scope without a colour has that of the scope around it. */
  startScope(scope: string): void {
    const [name = ''] = scope.split('.', 1)
    const own = Object.hasOwn(KIND_OF_SCOPE, name) ? (KIND_OF_SCOPE[name] ?? null) : null
    this.#kinds.push(own ?? this.#kinds.at(-1) ?? null)
  }

  endScope(): void {
    this.#kinds.pop()
  }

  /** highlight.js calls both pairs of methods. */
  openNode(scope: string): void {
    this.startScope(scope)
  }

  closeNode(): void {
    this.endScope()
  }

  __addSublanguage(emitter: TokenEmitter): void {
    this.parts.push(...emitter.parts)
  }

  finalize(): void {}

  toHTML(): string {
    return ''
  }
}
