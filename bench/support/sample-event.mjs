/** Events as they come by the thousand. */

export function sessionCreated() {
  return {
    type: 'session.created',
    data: {
      kind: 'managed',
      cwd: '/home/dev/project',
      title: null,
      model: null,
      permissionMode: 'default',
      parentId: null,
      by: { who: 'kim', via: 'api' },
      agent: null,
      options: {},
      conversation: { kind: 'new', id: crypto.randomUUID() },
    },
  }
}

export function textEnded() {
  const text = 'A sentence of the usual length. '.repeat(5)
  return { type: 'text.ended', data: { messageId: 'msg_1', index: 0, text } }
}

/** One that waits for the disk. */
export function failure() {
  const message = 'A sentence of the usual length. '.repeat(5)
  return { type: 'error.raised', data: { code: 'internal_error', message } }
}
