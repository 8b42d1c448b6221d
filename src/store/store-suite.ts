/** Contract tests for every store adapter. Each part is a file in `suite/`. */

import { describe, test } from 'vitest'
import type { Store } from './port.js'
import { accessSuite } from './suite/access-suite.js'
import { appendSuite } from './suite/append-suite.js'
import { daemonRowSuite } from './suite/daemon-row-suite.js'
import { eventReadSuite } from './suite/event-read-suite.js'
import { eventSearchSuite } from './suite/event-search-suite.js'
import { externalIdSuite } from './suite/external-id-suite.js'
import { openForEach } from './suite/opened-store-suite.js'
import { recordSuite } from './suite/record-suite.js'
import { requestSuite } from './suite/request-suite.js'
import { retentionSuite } from './suite/retention-suite.js'
import { sessionListSuite } from './suite/session-list-suite.js'
import { usageSuite } from './suite/usage-suite.js'

export function storeSuite(name: string, open: () => Promise<Store>): void {
  describe(`${name} store`, () => {
    const opened = openForEach(open)

    eventReadSuite(opened)
    eventSearchSuite(opened)
    appendSuite(opened)
    requestSuite(opened)
    sessionListSuite(opened)
    externalIdSuite(opened)
    accessSuite(opened)
    usageSuite(opened)
    retentionSuite(opened)
    daemonRowSuite(opened)
    recordSuite(opened)

    test('closing twice is closing once', async () => {
      await opened.store.close()
      await opened.store.close()
    })
  })
}
