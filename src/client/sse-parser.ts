/** Takes server-sent events apart as they arrive, in pieces of any size. */

export interface SseMessage {
  /** Present where the server names a place to go on from. */
  id?: string
  /** The type, if it is not an event of a session. */
  event?: string
  data: string
}

export class SseParser {
  #rest = ''
  #id: string | undefined
  #event: string | undefined
  #data: string[] = []

  /** The messages that this piece completes. */
  push(text: string): SseMessage[] {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    const messages: SseMessage[] = []
    for (const line of lines) {
      if (line !== '') this.#readLine(line)
      else if (this.#data.length > 0) messages.push(this.#takeMessage())
    }
    return messages
  }

  #readLine(line: string): void {
    if (line.startsWith('data: ')) this.#data.push(line.slice(6))
    else if (line.startsWith('id: ')) this.#id = line.slice(4)
    else if (line.startsWith('event: ')) this.#event = line.slice(7)
  }

  #takeMessage(): SseMessage {
    const message = {
      data: this.#data.join('\n'),
      ...(this.#id !== undefined && { id: this.#id }),
      ...(this.#event !== undefined && { event: this.#event }),
    }
    this.#data = []
    this.#id = undefined
    this.#event = undefined
    return message
  }
}
