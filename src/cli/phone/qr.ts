/** A QR code in a terminal: two modules in each character, dark on light whatever the colours of the terminal are. */

import { encode } from 'uqr'
import type { Colors } from '../output/style.js'

export function qrText(text: string, { black, onWhite }: Pick<Colors, 'black' | 'onWhite'>): string {
  const { data } = encode(text, { ecc: 'L', border: 2 })
  const rows: string[] = []
  for (let y = 0; y < data.length; y += 2)
    rows.push((data[y] ?? []).map((isDark, x) => cell(isDark, data[y + 1]?.[x] ?? false)).join(''))
  return rows.map((row) => `${onWhite(black(row))}\n`).join('')
}

function cell(isTopDark: boolean, isBottomDark: boolean): string {
  if (isTopDark) return isBottomDark ? '█' : '▀'
  return isBottomDark ? '▄' : ' '
}
