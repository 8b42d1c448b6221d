/** Texts that want to be more than texts. No command is ever made of them. */

import type { Page } from 'playwright-core'

const ESC = '\u001b'

/** Each calls `pwned` if it is ever run. */
export const SEEDS = [
  '<script>pwned()</script>',
  '<img src=x onerror=pwned()>',
  '<svg onload=pwned()>',
  '<iframe srcdoc="<script>parent.pwned()</script>"></iframe>',
  '<a href="javascript:pwned()">x</a>',
  '[x](javascript:pwned())',
  '[x](JaVaScRiPt:pwned())',
  '[x](&#106;avascript:pwned())',
  '![x](javascript:pwned())',
  '![x](https://example.invalid/track.png)',
  '[x](data:text/html,<script>pwned()</script>)',
  '<style>@import "https://example.invalid/a.css";</style>',
  '<link rel=stylesheet href=//example.invalid/a.css>',
  '<meta http-equiv=refresh content="0;url=javascript:pwned()">',
  '<form action=javascript:pwned()><button>x</button></form>',
  '<details open ontoggle=pwned()>',
  '<math><mtext></mtext><mglyph><style><img src=x onerror=pwned()>',
  '```html\n<script>pwned()</script>\n```',
  '`<img src=x onerror=pwned()>`',
  '| a | <img src=x onerror=pwned()> |\n|---|---|\n| 1 | <script>pwned()</script> |',
  '> <script>pwned()</script>',
  '# <img src=x onerror=pwned()>',
  '- [ ] <svg onload=pwned()>',
  `${ESC}]8;;javascript:pwned()\u0007click${ESC}]8;;\u0007`,
  `${ESC}[31m<img src=x onerror=pwned()>${ESC}[0m`,
  `${ESC}[2J${ESC}[H${ESC}c`,
  '\u202egnp.exe\u202c <script>pwned()</script>',
  '\u2066\u2067\u2068 mixed \u2069',
  '\u0000\u0001\u0008\u007f\u009b',
  '{{constructor.constructor("pwned()")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what must not be run.
  '${pwned()}',
  '"><script>pwned()</script>',
  "'-pwned()-'",
  ']]><script>pwned()</script>',
  '<!--<script>-->pwned()</script>',
  '__proto__',
  'constructor',
  'a'.repeat(20_000),
  '<b>'.repeat(2_000),
  '['.repeat(3_000),
  '*'.repeat(5_000),
]
const WRAPS: ((text: string) => string)[] = [
  (text) => text,
  (text) => `# ${text}`,
  (text) => `1. ${text}\n2. **${text}**`,
  (text) => `<div>\n\n${text}\n\n</div>`,
  (text) => `[a](<${text.slice(0, 200)}>)`,
]
export const HOSTILE = WRAPS.flatMap((wrap) => SEEDS.map(wrap)).slice(0, 200)

/** Forbidden actions of a page: scripts that ran, violations of its policy, addresses it requested. */
export async function watch(page: Page) {
  const seen: string[] = []
  await page.exposeFunction('pwned', () => seen.push('a script ran'))
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) => window.violated(event.violatedDirective + ' ' + event.blockedURI))`,
  )
  await page.exposeFunction('violated', (what: string) => seen.push(what))
  page.on('request', (request) => {
    if (!request.url().startsWith('http://127.0.0.1') && !request.url().startsWith('data:'))
      seen.push(request.url())
  })
  page.on('dialog', (dialog) => {
    seen.push(dialog.message())
    void dialog.dismiss()
  })
  return seen
}
