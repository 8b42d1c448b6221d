/** `X --version`: programs that are known to print their version and do nothing else. */

import { ownEntry } from '../../lib/own-entry.js'
import type { Field } from '../shell/field.js'

const KNOWN = new Set(
  `node nodejs npm npx pnpm yarn bun deno tsc tsx ts-node python python2 python3 pip pip3 pipx poetry uv ruff black mypy
  pytest ruby gem bundle bundler rake perl php composer lua luajit go gofmt rustc cargo rustup java javac mvn gradle kotlin
  kotlinc scala sbt swift gcc g++ cc c++ clang clang++ make cmake ninja meson ld ar git gh glab svn hg docker
  docker-compose podman kubectl helm terraform tofu ansible vagrant aws gcloud az curl wget ssh rsync tar gzip bzip2 xz zip
  unzip zstd jq yq sed awk gawk grep rg fd fzf bat ls cat cp mv rm mkdir rmdir ln chmod chown touch find xargs sort tee dd
  bash sh dash zsh fish vim nvim emacs nano tmux screen less man openssl gpg sqlite3 psql mysql mongosh redis-server
  redis-cli nginx apachectl httpd systemctl journalctl bazel buck elixir mix erl ghc stack cabal ocaml opam dotnet mono
  julia R Rscript octave dart flutter zig nim crystal v eslint prettier biome oxlint vitest jest mocha webpack vite rollup
  esbuild turbo nx lerna playwright cypress storybook next nuxt astro svelte-kit expo ffmpeg convert magick gs pandoc
  latex pdflatex xelatex dot strace ltrace gdb lldb valgrind perf sudo env nice timeout time watch parallel busybox file
  tree htop top ps hostname uname date id df du`.split(/\s+/),
)

/** Other words that mean the version, and for whom. */
const OTHER_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  '-v': new Set('node npm pnpm yarn tsc ruby php perl lua nginx'.split(' ')),
  '-V': new Set('python python2 python3 pip pip3 ssh curl'.split(' ')),
  '-version': new Set('java javac kotlin scala mvn'.split(' ')),
  version: new Set('go terraform tofu helm zig'.split(' ')),
}

export function isVersionQuestion(name: string, args: readonly Field[]): boolean {
  const [only, ...others] = args
  if (only === undefined || others.length > 0 || !KNOWN.has(name)) return false
  return only.text === '--version' || ownEntry(OTHER_WORDS, only.text)?.has(name) === true
}
