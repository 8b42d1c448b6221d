/** Routes for the inbox. */

import { z } from 'zod'
import { RequestId, SessionId } from '../id.js'
import { fieldsFor } from '../option/field-role.js'
import { Explanation, ProposeRule, RuleProposal, SuggestedRule } from '../policy/policy-body.js'
import { Answer, InboxRequest, PERMISSION_ANSWER_ROLES, QUESTION_ANSWER_ROLES } from '../request.js'
import { anyRequestParams, BASE, Limit, oneRequest, type Route, requestParams } from './shape.js'

export const requestRoutes = {
  listRequests: {
    method: 'GET',
    path: `${BASE}/requests`,
    role: 'viewer',
    summary: 'List the inbox: requests that a user must answer, oldest first',
    query: z.strictObject({
      state: InboxRequest.shape.state.optional(),
      sessionId: SessionId.optional(),
      limit: Limit.optional(),
      cursor: RequestId.optional(),
    }),
    status: 200,
    reply: z.strictObject({ requests: z.array(InboxRequest), nextCursor: RequestId.nullable() }),
  },
  getRequest: {
    method: 'GET',
    path: `${BASE}/requests/:id`,
    role: 'viewer',
    summary: 'Get a request, with its answer if resolved; a pending one also by the id of its tool call',
    params: anyRequestParams,
    status: 200,
    reply: oneRequest,
  },
  answerRequest: {
    method: 'POST',
    path: `${BASE}/requests/:id/answer`,
    role: 'operator',
    steers: 'request',
    summary: 'Answer a request by its id or the id of its tool call; the first answer wins',
    params: anyRequestParams,
    body: Answer,
    fields: { ...PERMISSION_ANSWER_ROLES, ...QUESTION_ANSWER_ROLES },
    status: 200,
    reply: oneRequest,
  },
  explainRequest: {
    method: 'GET',
    path: `${BASE}/requests/:id/explanation`,
    role: 'viewer',
    summary: 'Explain why a request needs approval: the findings of the current policy in the call',
    params: requestParams,
    status: 200,
    reply: z.strictObject({ explanation: Explanation }),
  },
  suggestRule: {
    method: 'GET',
    path: `${BASE}/requests/:id/rule`,
    role: 'viewer',
    summary: 'Suggest a rule that would allow a request, and preview which other calls it would affect',
    params: requestParams,
    status: 200,
    reply: z.strictObject({ suggestion: SuggestedRule }),
  },
  proposeRule: {
    method: 'POST',
    path: `${BASE}/requests/:id/proposal`,
    role: 'operator', // Not for viewers: the calls near it are judged on the real file system.
    summary:
      'Propose a rule from a request, and list the closest calls it would and would not allow; saves nothing',
    params: requestParams,
    body: ProposeRule,
    fields: fieldsFor('operator', 'scope', 'place', 'until', 'rule'),
    status: 200,
    reply: z.strictObject({ proposal: RuleProposal }),
  },
} as const satisfies Record<string, Route>
