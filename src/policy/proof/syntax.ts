/** The syntax tree of the closed grammar. A construct without a type here cannot be proven. */

export type Piece =
  | { kind: 'text'; text: string }
  /** An unquoted `*`, `?` or set in brackets. */
  | { kind: 'glob'; text: string }
  /** `isChanged`: its length, or an unknown part of it. */
  | { kind: 'variable'; name: string; isQuoted: boolean; isChanged?: boolean }
  /** The output of a list that is proven on its own. */
  | { kind: 'output'; body: Node; isQuoted: boolean }
  /** `<(…)`: a file with the output of such a list. */
  | { kind: 'process'; body: Node }
  /** `$?` and sums of plain numbers: unknown digits. */
  | { kind: 'number' }
  | { kind: 'choice'; items: readonly (readonly Piece[])[] }

export interface Word {
  pieces: readonly Piece[]
  /** The text if nothing in it is quoted or expanded: only such a word can be a keyword. */
  bare: string | null
  start: number
  end: number
}

export interface Assignment {
  name: string
  value: Word
}

export type Redirection =
  /** Between the standard streams, or to `/dev/null`. */
  | { kind: 'harmless' }
  | { kind: 'input'; word: Word }
  | { kind: 'text'; word: Word | null }
  /** To a file: accepted only if a rule or a grant covers the command. */
  | { kind: 'output'; word: Word }

export type Node =
  | {
      kind: 'simple'
      assignments: readonly Assignment[]
      words: readonly Word[]
      redirections: readonly Redirection[]
      at: number
    }
  | { kind: 'chain'; operator: '&&' | '||'; left: Node; right: Node }
  | { kind: 'not'; body: Node }
  | { kind: 'pipe'; items: readonly Node[] }
  | { kind: 'list'; items: readonly Node[] }
  | {
      kind: 'group'
      isSubshell: boolean
      body: Node
      redirections: readonly Redirection[]
    }
  | {
      kind: 'if'
      condition: Node
      body: Node
      otherwise: Node | null
      redirections: readonly Redirection[]
    }
  | {
      kind: 'for'
      name: string
      words: readonly Word[]
      body: Node
      redirections: readonly Redirection[]
      at: number
    }
  | {
      kind: 'while'
      condition: Node
      body: Node
      redirections: readonly Redirection[]
      at: number
    }
  /** The words between `[[` and `]]`. */
  | { kind: 'test'; words: readonly Word[]; at: number }
