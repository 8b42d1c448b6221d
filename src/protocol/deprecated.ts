/**
 * Previous names of exports, kept until the next major version. They shadowed names of TypeScript and of the platform.
 */

import { InboxRequest } from './request.js'
import { StreamingBlock } from './session.js'

/** @deprecated Use `InboxRequest`. */
export const Request = InboxRequest
/** @deprecated Use `InboxRequest`. */
export type Request = InboxRequest

/** @deprecated Use `StreamingBlock`. */
export const Partial = StreamingBlock
/** @deprecated Use `StreamingBlock`. */
export type Partial = StreamingBlock
