/** Routes for notifications: channels, users, push subscriptions, presence and answers through links. */

import { z } from 'zod'
import { NotificationId, SessionId } from '../id.js'
import { Channel, ChannelSettings, CreateChannel } from '../notification/channel.js'
import { Notification } from '../notification/notification.js'
import { ChannelName } from '../notification/notification-kind.js'
import { PushState, SubscribePush } from '../notification/push.js'
import { AnswerByToken, AnswerView, LookAnswer } from '../notification/token-answer.js'
import { User, UserName, UserSettings } from '../notification/user.js'
import { fieldsFor } from '../option/field-role.js'
import { BASE, empty, Limit, oneRequest, type Route } from './shape.js'

const channelParams = z.strictObject({ name: ChannelName })
const userParams = z.strictObject({ name: UserName })
const oneChannel = z.strictObject({ channel: Channel })
const oneUser = z.strictObject({ user: User })
const onePush = z.strictObject({ push: PushState })

export const notificationRoutes = {
  listChannels: {
    method: 'GET',
    path: `${BASE}/channels`,
    role: 'admin',
    summary:
      'List the channels through which users are notified, with their state, in the order in which they are tried',
    query: z.strictObject({ limit: Limit.optional(), cursor: z.string().optional() }),
    status: 200,
    reply: z.strictObject({ channels: z.array(Channel), nextCursor: z.string().nullable() }),
  },
  createChannel: {
    method: 'POST',
    path: `${BASE}/channels`,
    role: 'admin',
    summary: 'Add a channel, or replace the settings of one',
    body: CreateChannel,
    status: 201,
    reply: oneChannel,
  },
  changeChannel: {
    method: 'PATCH',
    path: `${BASE}/channels/:name`,
    role: 'admin',
    summary: 'Pause or resume a channel, or replace its settings',
    params: channelParams,
    body: z.strictObject({ isPaused: z.boolean().optional(), settings: ChannelSettings.optional() }),
    status: 200,
    reply: oneChannel,
  },
  removeChannel: {
    method: 'DELETE',
    path: `${BASE}/channels/:name`,
    role: 'admin',
    summary: 'Remove a channel; links and buttons that were sent through it stop working',
    params: channelParams,
    status: 200,
    reply: oneChannel,
  },
  testChannel: {
    method: 'POST',
    path: `${BASE}/channels/:name/test`,
    role: 'admin',
    summary: 'Send a test message through a channel',
    params: channelParams,
    body: empty,
    status: 200,
    reply: oneChannel,
  },
  listNotifications: {
    method: 'GET',
    path: `${BASE}/notifications`,
    role: 'admin',
    summary: 'List notifications with their delivery, newest first',
    query: z.strictObject({ limit: Limit.optional(), cursor: NotificationId.optional() }),
    status: 200,
    reply: z.strictObject({ notifications: z.array(Notification), nextCursor: NotificationId.nullable() }),
  },
  listUsers: {
    method: 'GET',
    path: `${BASE}/users`,
    role: 'admin',
    summary: 'List users, in the order in which they are notified',
    query: z.strictObject({ limit: Limit.optional(), cursor: UserName.optional() }),
    status: 200,
    reply: z.strictObject({ users: z.array(User), nextCursor: UserName.nullable() }),
  },
  setUser: {
    method: 'PUT',
    path: `${BASE}/users/:name`,
    role: 'admin',
    summary: 'Add a user, or change what the user may do through channels and when it is notified',
    params: userParams,
    body: UserSettings,
    status: 200,
    reply: oneUser,
  },
  removeUser: {
    method: 'DELETE',
    path: `${BASE}/users/:name`,
    role: 'admin',
    summary: 'Remove a user with its tokens, logins, channels and devices',
    params: userParams,
    status: 200,
    reply: oneUser,
  },
  getPush: {
    method: 'GET',
    path: `${BASE}/push`,
    role: 'viewer',
    summary: 'Get the key for push subscriptions, and the subscription of this browser',
    status: 200,
    reply: onePush,
  },
  subscribePush: {
    method: 'PUT',
    path: `${BASE}/push`,
    role: 'viewer',
    summary: 'Subscribe this browser to push messages; the subscription ends with its login',
    body: SubscribePush,
    fields: {
      ...fieldsFor('viewer', 'endpoint', 'keys', 'name', 'language', 'isMobile', 'may'),
    },
    status: 200,
    reply: onePush,
  },
  unsubscribePush: {
    method: 'DELETE',
    path: `${BASE}/push`,
    role: 'viewer',
    summary: 'End the push subscription of this browser',
    status: 200,
    reply: onePush,
  },
  testPush: {
    method: 'POST',
    path: `${BASE}/push/test`,
    role: 'viewer',
    summary: 'Send a test message to this browser',
    body: empty,
    status: 200,
    reply: empty,
  },
  notePresence: {
    method: 'POST',
    path: `${BASE}/presence`,
    role: 'viewer',
    summary:
      'Report that the user is active here: about the session in view no notification is sent meanwhile',
    /** The sessions in view: one that is open, or those of the requests in the inbox. */
    body: z.strictObject({ sessionIds: z.array(SessionId).max(50) }),
    fields: fieldsFor('viewer', 'sessionIds'),
    status: 200,
    /** False: there are no channels, so that it need not be reported. */
    reply: z.strictObject({ isUsed: z.boolean() }),
  },
  lookAnswer: {
    method: 'POST',
    path: `${BASE}/answers/look`,
    role: null,
    summary: 'Get the request of an answer token from a notification; answers nothing',
    body: LookAnswer,
    fields: fieldsFor(null, 'token'),
    status: 200,
    reply: z.strictObject({ answer: AnswerView }),
  },
  answerByToken: {
    method: 'POST',
    path: `${BASE}/answers`,
    role: null,
    summary: 'Answer the request of an answer token with one of the offered decisions; the first answer wins',
    body: AnswerByToken,
    fields: fieldsFor(null, 'token', 'decision'),
    status: 200,
    reply: oneRequest,
  },
} as const satisfies Record<string, Route>
