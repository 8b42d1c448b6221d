/** Which views the pictures show, and how they look. */

export const LOOKS = {
  '': {},
  '-dark': { dark: true },
  '-phone': { phone: true },
  '-ko': { language: 'ko' },
}

/** Not for the documents: to look at every view at every width. */
export const MORE_LOOKS = {
  '-1440': { width: 1440 },
  '-1440-dark': { width: 1440, dark: true },
  '-1024': { width: 1024 },
  '-1024-dark': { width: 1024, dark: true },
  '-768': { width: 768 },
  '-768-dark': { width: 768, dark: true },
  '-phone-dark': { phone: true, dark: true },
  '-phone-ko': { phone: true, language: 'ko' },
  '-ja': { language: 'ja' },
}

/** `ready`: the element that shows that the view is there; `act`: the user's actions before the picture is taken. */
export function viewsOf(ids) {
  const session = `/sessions/${ids.checkout}`
  return [
    { name: 'sessions', path: '/', ready: '.session-row' },
    { name: 'session', path: session, ready: '.request .findings', act: settle },
    { name: 'transcript', path: `/sessions/${ids.research}`, ready: '.branch-steps, .tool', act: settle },
    { name: 'changes', path: `${session}/changes`, ready: '.diff' },
    { name: 'timeline', path: `/sessions/${ids.research}/timeline`, ready: '.bar-row .bar' },
    { name: 'agents', path: `/sessions/${ids.research}/agents`, ready: '.agent' },
    { name: 'inbox', path: '/inbox', ready: '.request .findings' },
    { name: 'request', path: `/requests/${ids.request}`, ready: '.request .findings' },
    { name: 'grid', path: '/grid', ready: '.tile', act: settle },
    { name: 'new', path: '/new', ready: 'form.panel' },
    { name: 'commands', path: `/sessions/${ids.idle}`, ready: '.composer', act: completeCommand },
    { name: 'palette', path: session, ready: '.request .findings', act: openPalette },
    { name: 'keys', path: '/inbox', ready: '.request .findings', act: (page) => page.keyboard.press('?') },
    { name: 'search', path: '/search?q=basket', ready: '.result' },
    { name: 'terminals', path: '/terminals', ready: '.terminal' },
    { name: 'usage', path: '/usage', ready: '.table' },
    { name: 'policy', path: '/policy', ready: '.test-call input', act: tryCall },
    { name: 'policy-json', path: '/policy', ready: '.test-call input', act: showJson },
    { name: 'tools', path: '/policy/tools', ready: '.tools article' },
    { name: 'audit', path: '/policy/audit', ready: '.audit tbody tr' },
    { name: 'settings', path: '/settings', ready: '.item-list' },
    { name: 'phone', path: '/settings', ready: '.item-list', act: pairPhone },
    { name: 'unknown', path: '/nowhere', ready: '#main h1' },
    { name: 'login', path: '/', ready: 'form.login', isOut: true },
  ]
}

async function settle(page) {
  await page.locator('.transcript .entry, .tile').last().waitFor()
  await page.waitForTimeout(400)
}

async function completeCommand(page) {
  await page.locator('.composer textarea').fill('/')
  await page.locator('.popup').waitFor()
}

async function openPalette(page) {
  await page.keyboard.press('Control+k')
  await page.locator('dialog input').fill('check')
}

async function showJson(page) {
  await page.locator('.chip', { hasText: 'JSON' }).click()
}

async function pairPhone(page) {
  await page.locator('.page > section').last().locator(':scope > .row:last-child button').first().click()
  await page.locator('dialog').waitFor()
}

/** Judged, never run. */
async function tryCall(page) {
  await page.locator('.test-call input').fill('npm test && git push --force origin main')
  await page.locator('.test-call button').click()
  await page.locator('.verdict-box').waitFor()
}
