export { type Client, type ClientOptions, createClient } from './client.js'
export type { EventStreamOptions, StreamGap, StreamItem, StreamState } from './event-stream.js'
