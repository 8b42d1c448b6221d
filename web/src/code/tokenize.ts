/** Reads code with highlight.js. Each language is loaded when it is first needed. */

import type { LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'
import { type ColoredLine, splitLines } from './colored-line.js'
import type { Language } from './language.js'
import { TokenEmitter } from './token-emitter.js'

const LOAD: Readonly<Record<Language, () => Promise<{ default: LanguageFn }>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scss: () => import('highlight.js/lib/languages/scss'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

/** Languages inside others. All others are plain text there. */
const INSIDE: Partial<Readonly<Record<Language, readonly Language[]>>> = {
  dockerfile: ['bash'],
  javascript: ['xml', 'css'],
  markdown: ['xml'],
  typescript: ['xml', 'css'],
  xml: ['javascript', 'css'],
}

export type Tokenize = (code: string, language: Language) => Promise<ColoredLine[]>

/** The function gives one entry for each line of the code. It rejects code that it cannot read. */
export function createTokenizer(): Tokenize {
  const own = hljs.newInstance()
  own.configure({ __emitter: TokenEmitter })
  const register = async (language: Language) => {
    if (!own.getLanguage(language)) own.registerLanguage(language, (await LOAD[language]()).default)
  }
  return async (code, language) => {
    await Promise.all([language, ...(INSIDE[language] ?? [])].map(register))
    const { errorRaised, _emitter: emitter } = own.highlight(code, { language, ignoreIllegals: true })
    if (errorRaised) throw errorRaised
    // Cast: the emitter is the one that was configured.
    return splitLines((emitter as TokenEmitter).parts)
  }
}
