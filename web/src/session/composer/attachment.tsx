/** Images that are sent with a message. */

import { type ClipboardEvent, useState } from 'react'
import type { SendMessage } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { Icon } from '../../ui/icon.js'

const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
/** Limit of the API. */
const MAX_BYTES = 5 * 1024 * 1024

export interface Attachment {
  id: string
  name: string
  mediaType: (typeof MEDIA_TYPES)[number]
  /** Base64. */
  data: string
}

/** The images of a message that is being written. `problem`: why the last file was not accepted. */
export function useImages() {
  const [images, setImages] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState('')
  const add = async (files: Iterable<File>) => {
    const read = await readImages(files)
    setProblem(read.problem)
    setImages((known) => [...known, ...read.images])
  }
  return {
    images,
    problem,
    add: (files: Iterable<File>) => void add(files),
    remove: (id: string) => setImages((known) => known.filter((image) => image.id !== id)),
    clear: () => setImages([]),
    onPaste: ({ clipboardData: { files } }: ClipboardEvent) => {
      if (files.length > 0) void add(files)
    },
  }
}

async function readImages(files: Iterable<File>): Promise<{ images: Attachment[]; problem: string }> {
  const images: Attachment[] = []
  let problem = ''
  for (const file of files) {
    const mediaType = MEDIA_TYPES.find((type) => type === file.type)
    if (!mediaType) problem = t('image.kind', { name: file.name })
    else if (file.size > MAX_BYTES) problem = t('image.large', { name: file.name })
    else images.push({ id: crypto.randomUUID(), name: file.name, mediaType, data: await readBase64(file) })
  }
  return { images, problem }
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

/** The text, if there is any, and then the images. */
export function contentBlocks(text: string, images: readonly Attachment[]): MessageContent {
  const words = text.trim() === '' ? [] : [{ type: 'text' as const, text }]
  const blocks = images.map(({ mediaType, data }) => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: mediaType, data },
  }))
  return [...words, ...blocks]
}

type MessageContent = Extract<SendMessage, { content: unknown }>['content']

/** File input without a visible part. Place it inside a label that is styled as a button. */
export function ImageInput({ isDisabled = false, onAdd }: ImageInputProps) {
  return (
    <input
      type="file"
      className="visually-hidden"
      accept={MEDIA_TYPES.join(',')}
      multiple
      disabled={isDisabled}
      onChange={(event) => {
        onAdd([...(event.target.files ?? [])])
        event.target.value = ''
      }}
    />
  )
}

interface ImageInputProps {
  isDisabled?: boolean
  onAdd(files: readonly File[]): void
}

interface ThumbnailsProps {
  images: readonly Attachment[]
  onRemove(id: string): void
}

export function Thumbnails({ images, onRemove }: ThumbnailsProps) {
  if (images.length === 0) return null
  return (
    <ul className="thumbnails">
      {images.map(({ id, name, mediaType, data }) => (
        <li key={id}>
          <img src={`data:${mediaType};base64,${data}`} alt={name} />
          <button
            type="button"
            className="icon-only"
            aria-label={t('image.remove', { name })}
            onClick={() => onRemove(id)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  )
}
