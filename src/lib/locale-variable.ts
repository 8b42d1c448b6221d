/** The variables that choose a locale. A closed list: `LC_` is no sign that a variable holds no secret. */
export const LOCALE_VARIABLES = [
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_ADDRESS',
  'LC_COLLATE',
  'LC_CTYPE',
  'LC_IDENTIFICATION',
  'LC_MEASUREMENT',
  'LC_MESSAGES',
  'LC_MONETARY',
  'LC_NAME',
  'LC_NUMERIC',
  'LC_PAPER',
  'LC_TELEPHONE',
  'LC_TIME',
] as const

/**
 * Locales in which text is UTF-8, or bytes. In others, such as GBK, a program may take the last byte of a character and the
 * ASCII character behind it for one character, so it reads a script in another way than we do.
 */
const UNIFORM_LOCALE = /^(?:|C|POSIX|(?:C|[a-z]{2,3}(?:_[A-Z]{2})?)\.(?:UTF-8|utf-8|utf8|UTF8)(?:@[a-z]+)?)$/
/** Languages of messages, without a character set. */
const LANGUAGES = /^[A-Za-z_]*(?::[A-Za-z_]+)*$/

export function isLocaleVariable(name: string): boolean {
  return /^(?:LC_[A-Z]+|LANG|LANGUAGE)$/.test(name)
}

export function isUniformLocale(name: string, value: string): boolean {
  return (name === 'LANGUAGE' ? LANGUAGES : UNIFORM_LOCALE).test(value)
}
