/** Accessibility rules that a page breaks, as axe finds them. */

import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Violations, readable in a test's report. Of all rules, or of the given ones. */
export async function complaints(page: Page, rules: readonly string[] = []): Promise<string[]> {
  await page.evaluate(axe.source)
  const options = { resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) }
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  )
}
