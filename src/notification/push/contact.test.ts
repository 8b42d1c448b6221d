import { expect, test } from 'vitest'
import { contactFor } from './contact.js'

test.each([
  ['https://box.tail1234.ts.net', 'https://box.tail1234.ts.net'],
  ['https://box.example.org:8443/x', 'https://box.example.org'],
])('%s is public: the contact is %s', (dashboard, contact) => {
  expect(contactFor(dashboard)).toBe(contact)
})

test.each([
  'http://127.0.0.1:4747',
  'https://localhost:4747',
  'https://box.local:4747',
  'https://box',
  'https://192.168.1.5:4747',
  'https://[fd00::1]:4747',
  'https://8.8.8.8',
  '',
])('%j is no contact that Apple can look up', (dashboard) => {
  expect(contactFor(dashboard)).toBe('https://example.com')
})
