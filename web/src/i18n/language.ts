/** The languages of the page. */

export const LANGUAGES = ['en', 'ko', 'ja'] as const
export type Language = (typeof LANGUAGES)[number]

/** Each in its own language. */
export const LANGUAGE_NAMES = { en: 'English', ko: '한국어', ja: '日本語' } as const
