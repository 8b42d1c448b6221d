/** Options common to all commands that talk to the daemon. */

import type { Client } from '../client/client.js'
import { homePath } from '../home.js'
import { HubError } from '../protocol/error.js'
import { connect } from './connect.js'

export interface CommandOptions {
  home?: string
  json?: boolean
}

/** A client for the daemon of the home that was named. */
export function clientFor({ home }: CommandOptions): Client {
  return connect(homePath(home, process.env))
}

/** One of a list of words. */
export function readChoice<Choice extends string>(
  option: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((known) => known === text)
  if (choice !== undefined) return choice
  throw new HubError('request_invalid', `Unknown ${option} "${text}". Use ${orList(choices)}.`)
}

/** `a, b or c`. */
export function orList(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or ')
}

export function readNumber(option: string, text: string, range: { min: number; max: number }): number {
  const number = Number(text)
  if (text.trim() !== '' && number >= range.min && number <= range.max) return number
  throw new HubError(
    'request_invalid',
    `Invalid ${option} "${text}". Use a number from ${range.min} to ${range.max}.`,
  )
}
