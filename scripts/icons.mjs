/** Draws the PNG icons of the installed page and of notifications from their SVG files, with Chromium. */

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const FOLDER = fileURLToPath(new URL('../web/public/', import.meta.url))
const ICON = readFileSync(`${FOLDER}icon.svg`, 'utf8')
const MASKABLE = readFileSync(`${FOLDER}icon-maskable.svg`, 'utf8')
/** Android shows only the shape of a badge, in one colour. */
const BADGE = ICON.replace(/<rect[^>]*>/, '')
  .replace(/(?:stroke|fill)="#[0-9a-f]{6}"/g, (part) => part.replace(/#\w+/, '#ffffff'))
  .replace(/ opacity="[^"]*"/, '')

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
for (const [name, svg, size] of [
  ['icon-192', ICON, 192],
  ['icon-512', ICON, 512],
  ['icon-maskable-512', MASKABLE, 512],
  ['icon-maskable-180', MASKABLE, 180],
  ['badge-96', BADGE, 96],
]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>*{margin:0}svg{display:block;width:100vw}</style>${svg}`)
  writeFileSync(`${FOLDER}${name}.png`, await page.screenshot({ omitBackground: true }))
}
await browser.close()
