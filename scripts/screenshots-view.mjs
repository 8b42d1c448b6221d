/** Which views the pictures show, and how they look. */

export const LOOKS = {
  '': {},
  '-dark': { dark: true },
  '-phone': { phone: true },
  '-ko': { language: 'ko' },
}

/** `ready`: the element that shows that the view is there; `act`: the user's actions before the picture is taken. */
export function viewsOf(ids) {
  const session = `/sessions/${ids.checkout}`
  return [
    { name: 'sessions', path: '/', ready: '.session-row' },
    { name: 'session', path: session, ready: '.request .findings', act: settle },
    { name: 'transcript', path: `/sessions/${ids.research}`, ready: '.branch-steps, .tool', act: settle },
    { name: 'timeline', path: `/sessions/${ids.research}/timeline`, ready: '.bar-row .bar' },
    { name: 'agents', path: `/sessions/${ids.research}/agents`, ready: '.agent' },
    { name: 'inbox', path: '/inbox', ready: '.request .findings' },
    { name: 'new', path: '/new', ready: 'form.panel' },
    { name: 'search', path: '/search?q=basket', ready: '.result' },
    { name: 'terminals', path: '/terminals', ready: '.terminal' },
    { name: 'usage', path: '/usage', ready: '.table', act: (page) => page.locator('.chip').nth(3).click() },
    { name: 'policy', path: '/policy', ready: '.panel textarea', act: tryCall },
    { name: 'tools', path: '/policy/tools', ready: '.tools article' },
    { name: 'audit', path: '/policy/audit', ready: '.audit tbody tr' },
    { name: 'settings', path: '/settings', ready: '.item-list' },
    { name: 'login', path: '/', ready: 'form.login', isOut: true },
  ]
}

async function settle(page) {
  await page.locator('.transcript .entry').last().waitFor()
  await page.waitForTimeout(400)
}

/** Judged, never run. */
async function tryCall(page) {
  await page.locator('.test-call input').fill('npm test && git push --force origin main')
  await page.locator('.test-call button').click()
  await page.locator('.verdict-box').waitFor()
}
