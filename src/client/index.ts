export { type Client, type ClientOptions, createClient } from './client.js'
export type { EventStreamOptions, StreamItem, StreamState } from './event-stream.js'
