/** A consumer in a process of its own, to be killed: consumer-process.mjs STREAM DATABASE [BATCH_BYTES ROTATE_AT_BYTES]. */

import { openFileStreamConsumer } from '../../dist/terminal/stream/file-stream-consumer.js'

const [, , path, databasePath, batchBytes = '4096', rotateAtBytes = '60000'] = process.argv
const consumer = await openFileStreamConsumer({
  path,
  databasePath,
  batchBytes: Number(batchBytes),
  rotateAtBytes: Number(rotateAtBytes),
  keepRotated: 1_000,
  pollMs: 20,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
consumer.start()
process.stdout.write('started\n')
