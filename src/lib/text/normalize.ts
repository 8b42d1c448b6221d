/** Unicode normalisation in linear time. */

/** A combining mark, behind thirty others. Thirty are more than any writing has. */
const LONG_RUN = /(\p{M}{30})(?=\p{M})/gu
/** Combining grapheme joiner: invisible, and marks are not reordered across it. */
const JOINER = '\u034f'

const ASCII = /^[\0-\x7f]*$/

/**
 * As `String.normalize`, which sorts each run of combining marks by insertion: a text of marks only takes quadratic time. Long runs are
 * cut by a joiner first (Unicode's "stream-safe text format"), so that the result differs only for texts that no user writes.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  if (ASCII.test(text)) return text
  return text.replaceAll(LONG_RUN, `$1${JOINER}`).normalize(form)
}
