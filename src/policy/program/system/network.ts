/** Network programs: the data they send, the files they write, and shells behind a connection. */

import { type Reason, reason } from '../../../protocol/reason/reason.js'
import { nameOf } from '../../file/path.js'
import { type Field, literal, type Stream, Taint, tail, taintOf } from '../../shell/field.js'
import { NOTHING } from '../../shell/stream.js'
import { applyRole, type Call, type Handler } from '../handler.js'
import { type Arguments, optionTable, readArguments } from '../option.js'
import { hostOf } from './host.js'

const FETCHED: Stream = { text: null, taint: Taint.unseen | Taint.network, names: null }

/**
 * Data leak: the content of a protected file must not leave the machine, neither as an argument nor through the pipe.
 */
export function judgeLeak({ context, name, args, span }: Call): void {
  if (taintOf(args) & Taint.secret || (context.stdin?.taint ?? 0) & Taint.secret) {
    context.deny('protected-copy', reason('network.leaks', { name }), span)
  }
  if ((context.stdin?.taint ?? 0) & Taint.shell) {
    context.deny('reverse-shell', reason('network.reverse-shell', { name }), span)
  }
}

/** Names the host if an argument is an address. */
function networkReason({ context, name, args }: Call): Reason {
  const host = args.map(({ text }) => hostOf(text)).find((found) => found !== null) ?? null
  if (host === null) return reason('network.uses', { name })
  const isSending = context.stdin !== null || args.some(({ text }) => SENDS.test(text))
  return isSending ? reason('network.sends', { name, host }) : reason('network.connects', { name, host })
}

/** Options of curl and wget that send a body. */
const SENDS = /^(?:-[dFT]|--(?:data|form|json|upload-file|post|body)(?:-|=|$))/

function reaches(call: Call): void {
  call.context.ask('network', networkReason(call), call.span)
  judgeLeak(call)
}

/** Any program of which only the use of the network is known. */
export const speaker: Handler = (call) => {
  reaches(call)
  for (const field of call.args) judgeAttachment(call, field)
  // Upload commands for a program such as sftp, from the pipe.
  for (const line of (call.context.stdin?.text ?? '').split('\n')) {
    const sent = /^\s*(?:m?put|reput|append|send)\s(.+)/i.exec(line)?.[1] ?? ''
    for (const word of sent.split(/\s+/)) {
      if (word === '') continue
      const file = literal(word, call.span)
      if (call.context.isProtected(file)) call.context.access('send', file)
    }
  }
  return FETCHED
}

/** The prefix in front of a file name. */
function markOf(text: string): string | undefined {
  const mark = /^(?:--?[\w-]+=)?(?:fileb?:\/\/|@)|^[\w.-]+=@/.exec(text)?.[0]
  if (mark !== undefined) return mark
  const option = /^--[\w-]*=/.exec(text)?.[0]
  return option !== undefined && /file|body|data|input/.test(option) ? option : undefined
}

/** Files that a network program would send: `file://…`, `@file`, `--file=…`, and plain names. */
function judgeAttachment({ context }: Call, field: Field): void {
  const mark = markOf(field.text)
  const value = mark === undefined ? field : tail(field, mark.length)
  if (field.text.startsWith('-') && mark === undefined) return
  if (context.isProtected(value)) context.access('send', value)
}

const CURL = optionTable(
  `-0123469aBfgGiIjJkLlMnNOpqRsSvVZ#: -A: -b: -c:write -C: -d: -D:write -e: -E:read -F: -h? -H: -K:read -m: -o:write -P: -Q:
  -r: -t: -T: -u: -U: -w: -x: -X: -y: -Y: -z: --output:write --output-dir: --remote-name --remote-name-all --upload-file:
  --form: --form-string: --data: --data-ascii: --data-binary: --data-raw: --data-urlencode: --json: --url-query:
  --header: --proxy-header: --config:read --cookie: --cookie-jar:write --dump-header:write --trace:write
  --trace-ascii:write --stderr:write --cert:read --key:read --cacert:read --capath: --netrc-file:read --user: --proxy:
  --url: --libcurl:write --etag-save:write --etag-compare:read --hsts:write --alt-svc:write --request: --user-agent:
  --referer: --max-time: --connect-timeout: --retry: --retry-delay: --retry-max-time: --write-out: --location --fail
  --silent --show-error --compressed --insecure --head --get --include --verbose --create-dirs --remote-header-name
  --continue-at: --range: --resolve: --connect-to: --interface: --unix-socket: --abstract-unix-socket: --limit-rate:
  --fail-with-body --globoff --http1.1 --http2 --http3 --ipv4 --ipv6 --no-progress-meter --progress-bar --tlsv1.2
  --tlsv1.3 --version --help? --manual --crlfile:read --pinnedpubkey: --socks5: --socks5-hostname: --next --parallel`,
)

const curl: Handler = (call) => {
  const { context, args } = call
  const given = readArguments(CURL, args)
  if (args.length === 1 && /^(?:--version|-V)$/.test(args[0]?.text ?? ''))
    return { text: null, taint: 0, names: null }
  reaches(call)
  for (const { name, value } of given.options) if (value !== null) judgeCurlValue(call, name, value)
  const urls = [
    ...given.operands,
    ...given.options.filter(({ name }) => name === 'url').flatMap(({ value }) => value ?? []),
  ]
  const folder = given.valueOf('output-dir')
  for (const url of urls) {
    const file = localFile(url)
    if (file !== null) context.access('read', file)
    if (given.has('O', 'remote-name', 'remote-name-all')) {
      const name = nameOf(url.text.split(/[?#]/, 1)[0] ?? '')
      context.access('write', literal(folder === null ? name : `${folder.text}/${name}`, url.span), {
        content: FETCHED,
      })
    }
  }
  const content = urls.some((url) => localFile(url) !== null && context.isProtected(localFile(url) ?? url))
    ? { ...FETCHED, taint: Taint.secret }
    : FETCHED
  for (const { role, value, name } of given.options) {
    if (role !== 'write' || value === null || value.text === '-') continue
    const target = name === 'o' || name === 'output' ? inDirectory(folder, value) : value
    context.access('write', target, { content })
  }
  const isSaved = given.options.some(({ name, value }) => /^(?:o|output)$/.test(name) && value?.text !== '-')
  return isSaved ? NOTHING : content
}

function inDirectory(folder: Field | null, file: Field): Field {
  return folder === null || file.text.startsWith('/')
    ? file
    : { ...file, text: `${folder.text}/${file.text}` }
}

function localFile(url: Field): Field | null {
  const match = /^file:\/\/[^/]*/i.exec(url.text)?.[0]
  return match === undefined ? null : tail(url, match.length)
}

function judgeCurlValue({ context }: Call, name: string, value: Field): void {
  const { text } = value
  if (/^(?:T|upload-file)$/.test(name)) {
    if (text !== '-' && text !== '.') context.access('send', value)
  } else if (/^(?:F|form)$/.test(name)) {
    const match = /^[^=]*=[@<]"?/.exec(text)?.[0]
    if (match !== undefined) {
      const path = tail(value, match.length)
      context.access('send', { ...path, text: path.text.split(/[";]/, 1)[0] ?? '', pattern: null })
    }
  } else if (/^(?:d|data|data-ascii|data-binary|json|H|header|url-query|w|write-out)$/.test(name)) {
    if (text.startsWith('@') && text !== '@-') context.access('send', tail(value, 1))
  } else if (name === 'data-urlencode') {
    const match = /^[^=@]*@/.exec(text)?.[0]
    if (match !== undefined && text !== '@-') context.access('send', tail(value, match.length))
  } else if (/^(?:b|cookie)$/.test(name)) {
    if (!text.includes('=')) context.access('send', value)
  } else if (/^(?:K|config|E|cert|key|cacert|netrc-file|etag-compare|crlfile)$/.test(name))
    context.access('read', value)
}

const WGET = optionTable(
  `-bBcdEFHhiIkKlLmNnpqQrRsSTtUvVwxX46 -a:write -A: -B: -D: -e:ask -i:read -I: -l: -o:write -O:write -P:folder -Q: -R:
  -t: -T: -U: -w: -X: --output-document:write --output-file:write --append-output:write --directory-prefix:
  --post-file:send --body-file:send --post-data: --body-data: --header: --input-file:read --execute:ask
  --load-cookies:read --save-cookies:write --use-askpass:shell --config:read --user: --password: --method: --quiet
  --no-check-certificate --continue --recursive --level: --no-parent --mirror --timeout: --tries: --user-agent:
  --certificate:read --private-key:read --ca-certificate:read --rejected-log:write --warc-file:write --spider
  --no-verbose --show-progress --progress: --limit-rate: --wait: --accept: --reject: --referer: --content-disposition`,
)

const wget: Handler = (call) => {
  const { context, args } = call
  const given = readArguments(WGET, args)
  reaches(call)
  for (const { role, value } of given.options) {
    if (value !== null) applyRole(call, role, value, FETCHED)
  }
  const output = given.valueOf('O', 'output-document')
  if (output !== null) return output.text === '-' ? FETCHED : { text: '', taint: 0, names: null }
  const folder = given.valueOf('P', 'directory-prefix')
  for (const url of given.operands) {
    const name = nameOf(url.text.split(/[?#]/, 1)[0] ?? '') || 'index.html'
    context.access('write', literal(folder === null ? name : `${folder.text}/${name}`, url.span), {
      content: FETCHED,
    })
  }
  return { text: '', taint: 0, names: null }
}

/** `nc -e /bin/sh`: every client that connects gets a shell. */
const netcat: Handler = (call) => {
  const { context, args, span } = call
  reaches(call)
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*[ec]$|^--(?:exec|sh-exec|lua-exec)(?:=|$)/.test(text))
  if (at !== -1)
    context.deny('reverse-shell', reason('network.serves', { name: call.name }), args[at]?.span ?? span)
  return FETCHED
}

const socat: Handler = (call) => {
  const { context, args, span } = call
  reaches(call)
  const runs = args.find(({ text }) => /^(?:exec|system|shell):/i.test(text))
  if (runs !== undefined)
    context.deny('reverse-shell', reason('network.reverse-shell', { name: 'socat' }), runs.span)
  for (const field of args) {
    const file = /^(?:file|open|create|gopen):/i.exec(field.text)?.[0]
    if (file !== undefined) {
      const path = tail(field, file.length)
      context.access('send', { ...path, text: path.text.split(',', 1)[0] ?? '' })
    }
  }
  context.ask('network', reason('network.uses', { name: 'socat' }), span)
  return FETCHED
}

const MAIL = optionTable('-A:send -a:send -s: -c: -b: -r: -q:send --attach:send --subject: -H -i -n -v -t')

const mail: Handler = (call) => {
  const given: Arguments = readArguments(MAIL, call.args)
  reaches(call)
  for (const { role, value } of given.options)
    if (role === 'send' && value !== null) call.context.access('send', value)
  return { text: '', taint: 0, names: null }
}

/** `aws s3 cp FILE s3://…`, `rclone copy`, `gsutil cp`, `docker cp`, `kubectl cp`: local operands are uploaded. */
export const uploader: Handler = (call) => {
  const { context, args } = call
  reaches(call)
  const verb = args.find(({ text }) =>
    /^(?:cp|mv|sync|copy|copyto|move|moveto|upload|rsync|put|create|set|deploy)$/.test(text),
  )
  for (const field of args) {
    judgeAttachment(call, field)
    const value = /^--[\w-]+=/.exec(field.text)?.[0]
    const named = /^--from-(?:env-)?file=(?:[\w.-]+=)?/.exec(field.text)?.[0]
    const file =
      named === undefined
        ? value === undefined
          ? field
          : tail(field, value.length)
        : tail(field, named.length)
    if (verb === undefined || field.text.includes('://') || /^-\w?$|^--[\w-]+$/.test(field.text)) continue
    if (context.isProtected(file)) context.access('send', file)
  }
  return FETCHED
}

export const NETWORK: Readonly<Record<string, Handler>> = {
  curl,
  wget,
  nc: netcat,
  ncat: netcat,
  netcat,
  'nc.traditional': netcat,
  'nc.openbsd': netcat,
  socat,
  mail,
  mailx: mail,
  mutt: mail,
  sendmail: mail,
  msmtp: mail,
  swaks: mail,
  aws: uploader,
  gsutil: uploader,
  gcloud: uploader,
  az: uploader,
  rclone: uploader,
  s3cmd: uploader,
  mc: uploader,
  kubectl: uploader,
  helm: uploader,
  gh: uploader,
  glab: uploader,
  heroku: uploader,
  vercel: uploader,
  netlify: uploader,
  fly: uploader,
  flyctl: uploader,
  firebase: uploader,
  wrangler: uploader,
}

export const SPEAKERS =
  `fetch lwp-request lwp-download GET telnet ftp tftp sftp lftp ncftp http https httpie xh aria2c axel lynx links w3m elinks ping ping6 fping hping3 dig
  nslookup host drill whois traceroute tracepath mtr nmap ssh-copy-id rsh rlogin rcp finger ab wrk
  wscat websocat grpcurl pastebinit gist transfer irssi smbclient rpcclient ldapsearch snmpget redis-cli mongosh mongo
  mysqldump pg_dump ngrok cloudflared tailscale arp-scan nbtscan`.split(/\s+/)
