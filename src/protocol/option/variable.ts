/**
 * Environment variables that the API may set for a session: those listed in the configuration of the home, and never a
 * reserved one.
 */

/**
 * Reserved: variables that choose which program runs, what it loads, where it connects or whose account it uses. The
 * configuration cannot list them either; its owner can set them for all sessions in `defaults.env`.
 */
const RESERVED = [
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|IFS|ENV|CDPATH|TMPDIR|TMP|TEMP|TERM|TERMINFO.*|IS_SANDBOX)$/,
  /^(?:ANTHROPIC|CLAUDE|CLAUDECODE|SIGNALBOX|MCP|OTEL|AWS|GOOGLE|GCLOUD|CLOUD_ML|CLOUDSDK|VERTEX|AZURE)(?:_|$)/,
  /^(?:DISABLE|ENABLE|USE|FORCE|MAX|API)_/,
  /^(?:LD|DYLD|BASH|ZSH|GIT|SSH|NPM|YARN|PNPM|BUN|DENO|GEM|BUNDLE|JAVA|JDK|MAVEN|GRADLE|XDG|SSL|CURL|OPENSSL|DOCKER|PIP|UV|CONDA|R|TCL|MALLOC|GREP|RIPGREP)(?:_|$)/,
  /^(?:PYTHON|PERL|RUBY|LUA|PHP|CARGO|RUST|GLIBC|GCONV|KRB5|LESS|KUBE|GNUPG)/,
  /^NODE_(?!ENV$)/,
  /^GO(?:PATH|ROOT|FLAGS|BIN|PROXY|NOPROXY|SUMDB|NOSUMDB|PRIVATE|INSECURE|TOOLCHAIN|ENV|WORK|CACHE|VCS|AUTH|OS|ARCH)$/,
  /^(?:_JAVA_OPTIONS|CLASSPATH|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS\d|GLOBIGNORE|EDITOR|VISUAL|PAGER|BROWSER|MANPAGER|WGETRC|ZDOTDIR|NLSPATH|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|SSLKEYLOGFILE)$/,
  /(?:_PROXY|_PAGER|_EDITOR|_PRELOAD|_OPTIONS|_SHELL|_PATH|_CONFIG)$/,
]
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/

/** Whether the API may never set it, even if the configuration lists it. */
export function isReservedVariable(name: string): boolean {
  const upper = name.toUpperCase()
  return !NAME.test(name) || RESERVED.some((pattern) => pattern.test(upper))
}

/** The names that may not be set. */
export function refusedVariables(names: readonly string[], allowed: readonly string[]): string[] {
  return names.filter((name) => !allowed.includes(name) || isReservedVariable(name))
}
