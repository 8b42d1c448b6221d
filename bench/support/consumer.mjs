/** A consumer in a process of its own: consumer.mjs STREAM DATABASE watch|poll. */

import { openFileStreamConsumer } from '../../dist/terminal/stream/file-stream-consumer.js'

const [, , path, databasePath, way] = process.argv
const consumer = await openFileStreamConsumer({ path, databasePath, watches: way === 'watch' })
consumer.start()
process.stdout.write('started\n')
