/** Colours code outside the thread of the page: an expression that takes seconds on a hostile text delays nothing else. */

import type { ColorReply, ColorTask } from './highlighter.js'
import { createTokenizer } from './tokenize.js'

const tokenize = createTokenizer()

addEventListener('message', ({ data }: MessageEvent<ColorTask>) => {
  const reply = (lines: ColorReply['lines']) => postMessage({ id: data.id, lines } satisfies ColorReply)
  void tokenize(data.code, data.language).then(reply, () => reply(null))
})
