/**
 * Files that are sent with a message. Images and PDF go as they are, text files as text with their name. Other files are
 * refused: nothing in the message could show the model what is in them.
 */

import type { SendMessage } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
type ImageType = (typeof IMAGES)[number]
const MEGABYTE = 1024 * 1024
/** Limits of the API for one image and one PDF, and of a text that leaves room for the conversation. */
const MAX_BINARY_BYTES = 5 * MEGABYTE
const MAX_TEXT_BYTES = MEGABYTE / 2
/** Of all files of a message together, as they are sent: the server takes 12 MB. */
const MAX_TOTAL = 10 * MEGABYTE
const MAX_FILES = 50

export type Attachment = { id: string; name: string; bytes: number } & (
  | { kind: 'image'; mediaType: ImageType; data: string }
  | { kind: 'pdf'; data: string }
  | { kind: 'text'; data: string }
)

export interface ReadFiles {
  attachments: Attachment[]
  /** Why files were not taken, one sentence for each. */
  problems: string[]
}

export async function readFiles(files: Iterable<File>, before: readonly Attachment[]): Promise<ReadFiles> {
  const read: ReadFiles = { attachments: [], problems: [] }
  let total = before.reduce((sum, { data }) => sum + data.length, 0)
  for (const file of files) {
    const result = await readFile(file).catch(() => t('attach.unreadable', { name: file.name }))
    if (typeof result === 'string') read.problems.push(result)
    else if (before.length + read.attachments.length >= MAX_FILES)
      read.problems.push(t('attach.count', { name: file.name, n: MAX_FILES }))
    else if (total + result.data.length > MAX_TOTAL)
      read.problems.push(t('attach.total', { name: file.name }))
    else {
      total += result.data.length
      read.attachments.push(result)
    }
  }
  return read
}

async function readFile(file: File): Promise<Attachment | string> {
  const { size: bytes } = file
  const name = shownName(file.name)
  const base = { id: crypto.randomUUID(), name, bytes }
  if (bytes === 0) return t('attach.empty', { name })
  const mediaType = IMAGES.find((type) => type === file.type)
  const isPdf = file.type === 'application/pdf'
  if (mediaType || isPdf) {
    if (bytes > MAX_BINARY_BYTES) return t('attach.large', { name, limit: '5 MB' })
    const data = await readBase64(file)
    return mediaType ? { ...base, kind: 'image', mediaType, data } : { ...base, kind: 'pdf', data }
  }
  if (bytes > MAX_TEXT_BYTES) return t('attach.large_text', { name, limit: '512 KB' })
  const data = decodeText(await file.arrayBuffer())
  return data === null ? t('attach.kind', { name }) : { ...base, kind: 'text', data }
}

/** Null for what is no text: bytes that are not UTF-8, or a NUL. */
export function decodeText(bytes: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') || text === '' ? null : text
  } catch {
    return null
  }
}

/** The server takes printable names of at most 255 characters. */
export function shownName(name: string): string {
  return name.slice(-255).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '_') || 'file'
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      const { result } = reader
      resolve(typeof result === 'string' ? (result.split(',')[1] ?? '') : '')
    })
    reader.addEventListener('error', () => reject(reader.error ?? new Error('unreadable')))
    reader.readAsDataURL(file)
  })
}

export type MessageContent = Extract<SendMessage, { content: unknown }>['content']

/** The text last: Claude Code reads commands and mentions of files in the last block only. */
export function contentBlocks(text: string, attachments: readonly Attachment[]): MessageContent {
  const words = text.trim() === '' ? [] : [{ type: 'text' as const, text }]
  return [...attachments.map(blockOf), ...words]
}

function blockOf(attachment: Attachment): MessageContent[number] {
  const { kind, name: title, data } = attachment
  switch (kind) {
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: attachment.mediaType, data } }
    case 'pdf':
      return { type: 'document', title, source: { type: 'base64', media_type: 'application/pdf', data } }
    case 'text':
      return { type: 'document', title, source: { type: 'text', media_type: 'text/plain', data } }
  }
}

/** The text of a message, or else the names of its files. */
export function messageText(content: MessageContent): string {
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const names = content.flatMap((block) => (block.type === 'document' ? [block.title] : []))
  return [...words, ...names].join(' ') || t('image')
}
