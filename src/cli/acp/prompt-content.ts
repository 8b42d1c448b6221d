/** Translates the prompt of an editor into the content of a message. Content of other kinds is refused, not left out. */

import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContentBlock as EditorBlock } from '@agentclientprotocol/sdk'
import { FILE_TITLE } from '../../protocol/choice.js'
import { HubError } from '../../protocol/error.js'
import type { ContentBlock } from '../../protocol/value.js'

export function contentOf(blocks: readonly EditorBlock[]): ContentBlock[] {
  const content = joined(blocks.map(blockOf))
  if (content.length === 0) throw new HubError('message_invalid', 'The prompt is empty.')
  return content
}

function blockOf(block: EditorBlock): ContentBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return imageOf(block.mimeType, block.data)
    case 'resource_link':
      return { type: 'text', text: linkOf(block.uri, block.name) }
    case 'resource': {
      const { resource } = block
      const title = titleOf(resource.uri)
      if ('text' in resource)
        return resource.text === ''
          ? { type: 'text', text: `${linkOf(resource.uri, title)} (empty)` }
          : {
              type: 'document',
              title,
              source: { type: 'text', media_type: 'text/plain', data: resource.text },
            }
      if (resource.mimeType === 'application/pdf')
        return {
          type: 'document',
          title,
          source: { type: 'base64', media_type: 'application/pdf', data: resource.blob },
        }
      return imageOf(resource.mimeType ?? '', resource.blob)
    }
    default:
      throw new HubError(
        'message_invalid',
        `A prompt cannot contain ${block.type}. Send text, images, files or links.`,
      )
  }
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

function imageOf(mimeType: string, data: string): ContentBlock {
  const type = IMAGES.find((known) => known === mimeType)
  if (type) return { type: 'image', source: { type: 'base64', media_type: type, data } }
  throw new HubError(
    'message_invalid',
    `Cannot send content of type "${mimeType}". Send PNG, JPEG, GIF, WebP, PDF or text.`,
  )
}

/** A mention of the file, which the agent reads if the policy lets it; of another resource, its address. */
function linkOf(uri: string, name: string): string {
  const path = pathOf(uri)
  if (path === null) return `[${name}](${uri})`
  return /^[\w./~-]+$/.test(path) ? `@${path}` : `@"${path.replaceAll('"', '')}"`
}

function titleOf(uri: string): string {
  const name = basename(pathOf(uri) ?? uri)
  return FILE_TITLE.test(name) ? name : 'resource'
}

function pathOf(uri: string): string | null {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : null
  } catch {
    return null
  }
}

/** Editors split text around mentions: text that follows text is one block, so that a mention stays in its sentence. */
function joined(blocks: readonly ContentBlock[]): ContentBlock[] {
  const result: ContentBlock[] = []
  for (const block of blocks) {
    const last = result.at(-1)
    if (block.type === 'text' && last?.type === 'text')
      result.splice(-1, 1, { type: 'text', text: glued(last.text, block.text) })
    else if (block.type !== 'text' || block.text !== '') result.push(block)
  }
  return result
}

/** A mention ends with a space. */
function glued(one: string, other: string): string {
  const isApart = one === '' || other === '' || /\s$/.test(one) || /^[\s,.;:!?)\]]/.test(other)
  return isApart ? one + other : `${one} ${other}`
}
