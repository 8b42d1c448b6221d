/** Examples must match their schemas, because docs/protocol.md prints them. */

import { expect, test } from 'vitest'
import { DeltaDraft, deltaTypes, EventDraft, eventTypes } from '../event/event.js'
import { type Route, type RouteName, routes } from '../route.js'
import { deltaExamples, eventExamples } from './event-example.js'
import { routeExamples } from './route-example.js'

const names = Object.keys(routes) as RouteName[] // Cast: `Object.keys` loses the type of the keys.

test.each(eventTypes)('%s: one sentence, and an example that is such an event', (type) => {
  const { meaning, data } = eventExamples[type]
  expect(EventDraft.parse({ type, data })).toEqual({ type, data })
  expect(meaning).toMatch(/^[A-Z][^.]*\.(?:md\.)?$/)
})

test.each(deltaTypes)('%s: one sentence, and an example that is such a delta', (type) => {
  const { meaning, data } = deltaExamples[type]
  expect(DeltaDraft.parse({ type, data })).toEqual({ type, data })
  expect(meaning).toMatch(/^[A-Z][^.]*\.$/)
})

test.each(names)('%s: a request and a reply that fit its schemas', (name) => {
  const route: Route = routes[name]
  const example: { params?: unknown; query?: unknown; body?: unknown; reply: unknown } = routeExamples[name]

  expect(Object.keys(example).toSorted()).toEqual(
    ['params', 'query', 'body', 'reply'].filter((part) => part === 'reply' || part in route).toSorted(),
  )
  route.params?.parse(example.params)
  route.query?.parse(example.query)
  route.body?.parse(example.body)
  if (route.reply === null) expect(example.reply).toBeTypeOf('string')
  else expect(route.reply.parse(example.reply)).toEqual(example.reply)
})
