/** Pictures that go with a message. */

import { t } from '../../i18n/i18n.js'
import { Icon } from '../../ui/icon.js'

const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
/** The API takes no larger ones. */
const MAX_BYTES = 5 * 1024 * 1024

export interface Attachment {
  id: string
  name: string
  mediaType: (typeof MEDIA_TYPES)[number]
  /** Base64. */
  data: string
}

export async function readImages(files: Iterable<File>): Promise<{ images: Attachment[]; problem: string }> {
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
