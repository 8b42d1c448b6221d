/** Phrases that no text of the product contains, as far as they can be matched without context. */

/** Each phrase with the words to use instead. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bcan not\b/, 'cannot'],
  [/\b(?:an )?(?:earlier|another) life\b/, 'a previous run'],
  [/\bdoes more than look\b/, 'name the effect'],
  [/\b(?:take|takes|taken|took|taking)(?: \w+){0,3} back\b/, 'revoke, cancel or undo'],
  [/\bset(?:s|ting)?(?: \w+){0,3} aside\b/, 'rotate, or move'],
  [/\bput into bytes\b/, 'serialise'],
  [/\bwhoever\b/, 'the user, the client'],
  [/\b(?:nobody|somebody|anybody)\b/, 'no user, another user, any client'],
  [/\bfor good\b/, 'permanently'],
  [/\bmend(?:s|ed|ing)?\b/, 'fix'],
  [/\bcure[sd]?\b/, 'fix'],
  [/\b(?:is|are|was|were) told\b/, 'gets, or name what is logged, sent or reported'],
  [/\btold apart\b/, 'distinguished'],
  [/\bof (?:a|the) person\b/, 'of a user'],
  [/\bwhat people see\b/, 'the view'],
  [/\bas it was written\b/, 'unchanged'],
  [/\b(?:so much|so many)\b/, 'name the limit'],
  [/\b(?:goes|go|going|went|gone) on with\b/, 'resume, continue'],
  [/\b(?:take|takes|taken|took) up\b/, 'resume'],
  [/\bby (?:itself|themselves)\b/, 'automatically'],
  [/\b(?:is|are) asked about\b/, 'name who asks'],
  [/\b(?:that|which) holds?\b/, 'in force, effective'],
  [/\blike the system\b/, 'System'],
  [/\bas usual\b/, 'by default'],
  [/\bhow-manieth\b/, 'the number of'],
  [/\bclosed as installed\b/, 'secure by default'],
  [/\bfrom elsewhere\b/, 'remote'],
]

/** Line breaks become spaces, so that a phrase is found across them. */
export function foundIn(text: string, phrases = PHRASES): string[] {
  const flat = text.replaceAll(/\s+/g, ' ')
  return phrases.flatMap(([phrase, better]) =>
    [...flat.matchAll(new RegExp(phrase, 'gi'))].map(
      ({ index, 0: hit }) => `“${flat.slice(Math.max(0, index - 30), index + hit.length + 20)}”: ${better}`,
    ),
  )
}
