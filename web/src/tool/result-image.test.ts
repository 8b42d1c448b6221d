import { expect, test } from 'vitest'
import { resultText } from './call.js'
import { resultImages } from './result-image.js'

const DATA = 'iVBORw0KGgo='
const ADDRESS = `data:image/png;base64,${DATA}`

test.each<[string, unknown]>([
  ['Read', { type: 'image', file: { base64: DATA, type: 'image/png', originalSize: 8 } }],
  ['the API', [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }]],
  ['MCP', { content: [{ type: 'image', data: DATA, mimeType: 'image/png' }] }],
  ['MCP resources', [{ type: 'resource', resource: { uri: 'a:b', blob: DATA, mimeType: 'image/png' } }]],
  [
    'notebooks',
    { file: { cells: [{ outputs: [{ image: { image_data: DATA, media_type: 'image/png' } }] }] } },
  ],
  ['extracted pages', { pages: [{ base64: DATA, mediaType: 'image/png' }] }],
  ['commands', { stdout: `${ADDRESS}\n`, stderr: '', isImage: true }],
])('an image in the shape of %s is found, and is no text', (_, result) => {
  expect(resultImages(result)).toEqual([ADDRESS])
  expect(resultText(result)).not.toContain(DATA)
})

test('text beside an image stays', () => {
  const result = [
    { type: 'text', text: 'A plan.' },
    { type: 'image', source: { media_type: 'image/png', data: DATA } },
  ]
  expect(resultText(result)).toBe('A plan.')
})

test.each<[string, unknown]>([
  ['SVG', { type: 'image', data: DATA, mimeType: 'image/svg+xml' }],
  ['what is not base64', { data: '"><script>', mimeType: 'image/png' }],
  ['text', { type: 'text', file: { content: 'x', type: 'image/png' } }],
])('%s is no image', (_, result) => {
  expect(resultImages(result)).toEqual([])
})
