/** Handlers of the routes for notifications. */

import type { Notifications } from '../notification/notifications.js'
import { sessionName } from '../protocol/view/session-name.js'
import type { Credentials } from './auth/credentials.js'
import type { Handlers } from './handler.js'
import { pageOf } from './page.js'

type NotificationHandlers = Pick<
  Handlers,
  | 'listChannels'
  | 'createChannel'
  | 'changeChannel'
  | 'removeChannel'
  | 'testChannel'
  | 'listNotifications'
  | 'listUsers'
  | 'setUser'
  | 'removeUser'
  | 'getPush'
  | 'subscribePush'
  | 'unsubscribePush'
  | 'testPush'
  | 'notePresence'
  | 'lookAnswer'
  | 'answerByToken'
>

const DEFAULT_LIMIT = 100

export function createNotificationHandlers(
  notifications: Notifications,
  access: Credentials,
): NotificationHandlers {
  const { directory, tokens, subscriptions } = notifications
  return {
    listChannels: async ({ query: { limit = DEFAULT_LIMIT, cursor } }) =>
      pageOf('channels', notifications.channels(), ({ name }) => name, { limit, cursor }),
    createChannel: async ({ body: { name, settings } }, { actor }) => ({
      channel: await notifications.saveChannel(name, settings, actor),
    }),
    async changeChannel({ params: { name }, body: { isPaused, settings } }, { actor }) {
      directory.requireChannel(name)
      if (settings !== undefined) await notifications.saveChannel(name, settings, actor)
      if (isPaused !== undefined) await notifications.pauseChannel(name, isPaused, actor)
      return { channel: notifications.channel(name) }
    },
    removeChannel: async ({ params: { name } }, { actor }) => ({
      channel: await notifications.removeChannel(name, actor),
    }),
    testChannel: async ({ params: { name } }) => ({ channel: await notifications.testChannel(name) }),
    async listNotifications({ query: { limit = DEFAULT_LIMIT, cursor } }) {
      const found = await notifications.notifications({ before: cursor, limit: limit + 1 })
      const page = found.slice(0, limit)
      return { notifications: page, nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null }
    },
    listUsers: async ({ query: { limit = DEFAULT_LIMIT, cursor } }) =>
      pageOf('users', directory.users(), ({ name }) => name, { limit, cursor }),
    async setUser({ params: { name }, body }, { actor }) {
      const user = await directory.saveUser(name, body, actor)
      await notifications.usersChanged()
      return { user }
    },
    async removeUser({ params: { name } }, { actor }) {
      directory.requireRemovable(name)
      // Its tokens and logins, whose connections are closed and whose devices are removed. First: after a crash in
      // between, the user is still there to be removed again.
      for (const token of await access.tokens()) if (token.user === name) await access.revoke(token.id, actor)
      return { user: await notifications.removeUser(name, actor) }
    },
    getPush: async (_, { identity }) => ({ push: subscriptions.state(identity) }),
    async subscribePush({ body }, { identity, actor }) {
      await notifications.deviceChanged(await subscriptions.add(identity, body, actor))
      return { push: subscriptions.state(identity) }
    },
    async unsubscribePush(_, { identity, actor }) {
      const device = subscriptions.of(identity.credentialId)
      if (device) await notifications.removeDevices(({ id }) => id === device.id, actor)
      return { push: subscriptions.state(identity) }
    },
    async testPush(_, { identity }) {
      const device = subscriptions.of(identity.credentialId)
      await notifications.testChannel(device?.name ?? '')
      return {}
    },
    async notePresence({ body: { sessionIds } }, { identity }) {
      const isUsed = notifications.isActive()
      // A viewer cannot answer: what it looks at must still be reported to others.
      const inView = identity.role === 'viewer' ? [] : sessionIds
      if (isUsed && identity.user !== null) notifications.notePresence(identity.user, inView)
      return { isUsed }
    },
    async lookAnswer({ body: { token } }) {
      const { session, decisions, ...view } = await tokens.look(token)
      const { id, cwd } = session
      return {
        answer: { ...view, decisions: [...decisions], session: { id, name: sessionName(session), cwd } },
      }
    },
    answerByToken: async ({ body: { token, decision } }) => ({
      request: await tokens.answer(token, decision),
    }),
  }
}
