/**
 * Which files are protected: environment files, secrets by their name, key material. By name alone; callers resolve
 * symlinks.
 */

import { spend } from '../../lib/step-budget.js'
import { wordsOf } from '../../lib/text/split-words.js'
import { isTooLong } from './path.js'
import { plainSpelling } from './spelling.js'

export type Protection = 'file' | 'folder' | null

/** `folder` is a directory of protected files: harmless to create, but not to delete, move or copy. */
export function protectionOf(path: string): Protection {
  spend(2 + path.length / 32)
  const known = protections.get(path)
  if (known !== undefined) return known
  // The callers ask about a path that is too long.
  if (isTooLong(path)) return null
  spend(30 + path.length * 3)
  const protection = protectionByName(path)
  if (protections.size >= MAX_PROTECTIONS) protections.clear()
  protections.set(path, protection)
  return protection
}

/** Cached: the same few paths are checked repeatedly, and the result depends on the name alone. */
const protections = new Map<string, Protection>()
const MAX_PROTECTIONS = 1000

function protectionByName(path: string): Protection {
  const spelled = plainSpelling(path)
  const names = spelled.split('/').filter((name) => name !== '' && name !== '.')
  const name = names.at(-1) ?? ''
  const lower = name.toLowerCase()
  const originals = originalsOf(lower)
  const folders = names.slice(0, -1).map((folder) => folder.toLowerCase())
  const isTemplate = wordsOf(name).some((word) => TEMPLATES.has(word))
  if (originals.some((original) => ENVIRONMENT.test(original)) && !isTemplate) return 'file'
  if (originals.some(isKeyName) || CLOUD_FILES.test(`/${names.join('/').toLowerCase()}`)) return 'file'
  if (folders.some((folder) => KEY_FOLDERS.has(folder))) return 'file'
  const isData = !isTemplate && !NOT_DATA.has(endingOf(lower))
  if (isData && folders.some((folder) => SECRET_FOLDERS.has(folder))) return 'file'
  if (KEY_FOLDERS.has(lower) || SECRET_FOLDERS.has(lower) || CLOUD_FOLDERS.test(`/${names.join('/')}`))
    return 'folder'
  return isData && wordsOf(name).some((word) => SECRET_WORDS.has(word)) ? 'file' : null
}

/** A folder of that name may also be a file without an extension: writing to it writes a secret. */
export function isProtectedFile(path: string): boolean {
  const protection = protectionOf(path)
  return protection === 'file' || (protection === 'folder' && !path.endsWith('/'))
}

function isKeyName(name: string): boolean {
  return KEY_NAMES.test(name) || (KEY_PAIRS.test(name) && !name.endsWith('.pub'))
}

/** Whether the name of a folder can make files in it protected, alone or together with the folders around it. */
export function mayProtect(folder: string): boolean {
  const name = plainSpelling(folder).toLowerCase()
  return KEY_FOLDERS.has(name) || SECRET_FOLDERS.has(name) || CLOUD_PARTS.has(name)
}

const ENVIRONMENT =
  /^\.env$|^\.env[._-]|\.env$|^\.envrc$|^\.envrc\.|^\.dev\.vars(?:\.|$)|\.tfvars(?:\.json)?$/
const TEMPLATES = new Set(['example', 'sample', 'template', 'dist', 'defaults'])
const SECRET_WORDS = new Set([
  'secret',
  'secrets',
  'credential',
  'credentials',
  'password',
  'passwords',
  'passwd',
])
const SECRET_FOLDERS = new Set(['secret', 'secrets', '.secret', '.secrets', 'credentials', 'passwords'])
const KEY_FOLDERS = new Set(['.ssh', '.gnupg', '.password-store'])
const KEY_PAIRS = /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[^a-z0-9]|$)/
const KEY_NAMES =
  /^[._]netrc$|^\.pgpass$|^\.git-credentials$|^\.htpasswd$|^\.vault-token$|^\.s3cfg$|^\.boto$|^\.pypirc$|^\.dockercfg$|^\.vault_pass(?:\.txt)?$|^\.(?:bash|zsh|sh|python|node_repl|psql|mysql|sqlite|rediscli|irb)_history$|\.(?:pem|key|p12|pfx|jks|keystore|p8|ppk|kdbx|tfstate)$/
const CLOUD_FILES =
  /\/\.aws\/credentials$|\/\.config\/gcloud\/.|\/\.azure\/.|\/\.kube\/config$|\/\.docker\/config\.json$|\/\.config\/gh\/hosts\.ya?ml$|\/\.oci\/config$/

/** The names of the folders in `CLOUD_FILES`. */
const CLOUD_PARTS = new Set(['.aws', '.config', 'gcloud', '.azure', '.kube', '.docker', 'gh', '.oci'])

/** Only in a home: a repository may have folders of these names without secrets. */
const CLOUD_FOLDERS = /^\/(?:home\/[^/]+|Users\/[^/]+|root)\/\.(?:aws|azure|kube|config\/gcloud)$/

/** Extensions of source code, tests, documents, styles and pictures. */
const NOT_DATA = new Set(
  `ts tsx mts cts js jsx mjs cjs py pyi pyx ipynb rb go rs java kt kts scala sbt swift c h cc cpp cxx hpp hh m mm cs fs
  fsx vb php pl pm lua r jl ex exs erl hrl clj cljs cljc hs lhs ml mli elm dart groovy gradle zig nim v sol asm s d
  sh bash zsh fish ps1 psm1 bat awk sed tf hcl sql proto graphql gql thrift cmake mk vue svelte astro html htm xhtml
  css scss sass less styl erb ejs hbs pug haml slim jinja j2 njk liquid twig mustache feature snap
  md mdx markdown rst adoc asciidoc org tex pdf doc docx odt rtf ppt pptx
  png jpg jpeg gif svg webp ico bmp tif tiff avif heic psd ai woff woff2 ttf otf mp3 mp4 webm mov`.split(
    /\s+/,
  ),
)

/** Whether the extension is that of source code, a document or the like. */
export function hasSourceEnding(name: string): boolean {
  return NOT_DATA.has(endingOf(name.toLowerCase()))
}

/**
 * The name, and the names that it may be a backup copy of. Backup copies of editors and tools have the content of the
 * original (`..env.swp`, `.env~`, `#.env#`, `server.pem.bak`).
 */
function originalsOf(name: string): string[] {
  const plain = name
    .replaceAll(/^\.?#|#$/g, '')
    .replace(/(?:\.~\d{1,9})?~$/, '')
    .replace(/\.(?:bak|backup|copy|old|orig|save|tmp|sw[a-p])$/, '')
  return plain === name ? [name] : [name, plain, plain.replace(/^\./, '')]
}

function endingOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1) : ''
}
