/** `signalbox comment`: sends comments on lines of changed files to the agent. */

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Comment } from '../../../protocol/change/comment.js'
import { HubError } from '../../../protocol/error.js'
import { type CommandOptions, clientFor } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { table } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { findSessionId } from '../../short-id.js'

/** Pairs of `FILE:LINE[-LINE]` and a text; without any, the comments that were sent. */
export async function comment(
  id: string,
  words: readonly string[],
  options: CommandOptions,
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(options)
  const params = { id: await findSessionId(client, id) }
  if (words.length === 0) {
    const reply = await client.listComments({ params })
    if (options.json) terminal.json(reply)
    else if (reply.comments.length === 0) terminal.note('No comments.')
    else terminal.out(commentTable(reply.comments, terminal.columns))
    return EXIT.done
  }
  if (words.length % 2 === 1)
    throw new HubError('request_invalid', 'Each comment is a place and a text: FILE:LINE "TEXT".')
  const { session } = await client.getSession({ params })
  const comments: Comment[] = []
  for (let at = 0; at < words.length; at += 2)
    comments.push(readComment(words[at] ?? '', words[at + 1] ?? '', session.cwd))
  const reply = await client.sendComments({ params, body: { comments } })
  if (options.json) terminal.json(reply)
  else
    terminal.note(
      comments.length === 1 ? 'Sent the comment.' : `Sent ${comments.length} comments as one message.`,
    )
  return EXIT.done
}

/** The lines are quoted as they are now, where this machine has the file. */
export function readComment(place: string, text: string, cwd: string): Comment {
  const [, path = '', start = '', end = start] = /^(.+):(\d+)(?:-(\d+))?$/.exec(place) ?? []
  const [startLine, endLine] = [Number(start), Number(end)]
  if (path === '' || startLine < 1 || endLine < startLine)
    throw new HubError(
      'request_invalid',
      `${JSON.stringify(place)} is no place. Use FILE:LINE or FILE:LINE-LINE.`,
    )
  return { path, startLine, endLine, quote: linesOf(resolve(cwd, path), startLine, endLine), text }
}

function linesOf(file: string, start: number, end: number): string {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(start - 1, end)
      .join('\n')
  } catch {
    return ''
  }
}

function commentTable(
  comments: readonly (Comment & { by: { who: string }; isResolved: boolean })[],
  width: number | null,
): string {
  return table(
    [
      { title: 'place', minWidth: 10 },
      { title: 'by' },
      { title: 'state' },
      { title: 'comment', minWidth: 12, wraps: true },
    ],
    comments.map(({ path, startLine, endLine, by, isResolved, text }) => [
      `${path}:${startLine}${endLine === startLine ? '' : `-${endLine}`}`,
      by.who,
      isResolved ? 'resolved' : 'open',
      text,
    ]),
    { width },
  )
}
