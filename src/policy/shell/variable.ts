/** Variables that only the command itself reads. */

/** In zsh these are tied to other variables: the search path of programs, and others. */
const TIED_NAMES: ReadonlySet<string> = new Set(
  'path cdpath fpath mailpath manpath module_path fignore prompt psvar argv status watch histchars auto_resume'.split(
    ' ',
  ),
)

/** Variables with a meaning in bash, from its manual. */
const OF_THE_SHELL: ReadonlySet<string> = new Set(
  `BASH BASHOPTS BASHPID CDPATH CHILD_MAX COLUMNS COMPREPLY COPROC DIRSTACK EMACS ENV EPOCHREALTIME EPOCHSECONDS EUID
  EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GLOBSORT GROUPS HOME HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF
  INPUTRC LANG LINENO LINES MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS
  POSIXLY_CORRECT PPID PWD RANDOM REPLY SECONDS SHELL SHELLOPTS SHLVL SRANDOM TIMEFORMAT TMOUT TMPDIR UID`.split(
    /\s+/,
  ),
)

/**
 * Variables with a meaning in programs: harmless unless exported, but no command needs one of these names by chance.
 */
const OF_PROGRAMS =
  /^(?:BASH_|COMP_|READLINE_|HIST|PROMPT_|PS\d|LC_|LD_|DYLD_|GIT|NODE|NPM|PYTHON|PERL|RUBY|JAVA|JDK|GLIBC|MALLOC|GCONV|LOCPATH|NLSPATH|TERM|TZ|USER|LOGNAME|EDITOR|VISUAL|PAGER|LESS|MORE|MAN|BROWSER|DISPLAY|SSH|GPG|XDG|HTTP|FTP|ALL_PROXY|NO_PROXY|CURL|WGET|GREP|RIPGREP|LS_|AWK|POSIX|DOCKER|KUBE|AWS|SUDO|CLAUDE|ANTHROPIC|SIGNALBOX)/

/** Neither a shell nor a program gives it a meaning. */
export function isOrdinaryVariable(name: string): boolean {
  if (!/^[a-z][a-z\d_]*$/i.test(name) || /_proxy$/i.test(name)) return false
  return !TIED_NAMES.has(name) && !OF_THE_SHELL.has(name) && !OF_PROGRAMS.test(name)
}
