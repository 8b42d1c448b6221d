/** The languages that code is coloured in: a closed set. Code in any other one is shown as plain text. */

export const LANGUAGES = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'diff',
  'dockerfile',
  'go',
  'graphql',
  'ini',
  'java',
  'javascript',
  'json',
  'kotlin',
  'lua',
  'makefile',
  'markdown',
  'php',
  'python',
  'ruby',
  'rust',
  'scss',
  'sql',
  'swift',
  'typescript',
  'xml',
  'yaml',
] as const
export type Language = (typeof LANGUAGES)[number]

/** Other names in Markdown, and the endings of files. */
const ALIASES: Readonly<Record<string, Language>> = {
  bat: 'bash',
  cc: 'cpp',
  cjs: 'javascript',
  conf: 'ini',
  console: 'bash',
  cs: 'csharp',
  cts: 'typescript',
  cxx: 'cpp',
  env: 'bash',
  gql: 'graphql',
  h: 'c',
  hpp: 'cpp',
  htm: 'xml',
  html: 'xml',
  js: 'javascript',
  jsonc: 'json',
  json5: 'json',
  jsonl: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  kts: 'kotlin',
  less: 'scss',
  make: 'makefile',
  md: 'markdown',
  mdx: 'markdown',
  mjs: 'javascript',
  mk: 'makefile',
  mts: 'typescript',
  patch: 'diff',
  properties: 'ini',
  py: 'python',
  pyi: 'python',
  rb: 'ruby',
  rs: 'rust',
  sass: 'scss',
  sh: 'bash',
  shell: 'bash',
  svelte: 'xml',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  xhtml: 'xml',
  yml: 'yaml',
  zsh: 'bash',
}

const FILES: Readonly<Record<string, Language>> = {
  '.bashrc': 'bash',
  '.editorconfig': 'ini',
  '.gitconfig': 'ini',
  '.npmrc': 'ini',
  '.profile': 'bash',
  '.zshrc': 'bash',
  containerfile: 'dockerfile',
  gemfile: 'ruby',
  gnumakefile: 'makefile',
  rakefile: 'ruby',
}

/** The language that Markdown names behind its fence: "ts", "js title=x", "C++". */
export function languageNamed(info: string | undefined): Language | null {
  const name =
    (info ?? '')
      .trim()
      .split(/[\s,{]/, 1)[0]
      ?.toLowerCase() ?? ''
  if (name === 'c++') return 'cpp'
  return name === 'c#' ? 'csharp' : known(name)
}

export function languageOfFile(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (Object.hasOwn(FILES, name)) return FILES[name] ?? null
  const ending = name.slice(name.lastIndexOf('.') + 1)
  return known(ending) ?? known(name.split('.', 1)[0] ?? '')
}

function known(name: string): Language | null {
  return (
    LANGUAGES.find((language) => language === name) ??
    (Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? null) : null)
  )
}
