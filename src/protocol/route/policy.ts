/** Routes for the policy: read and change it, evaluate calls, backtest another one. */

import { z } from 'zod'
import { fieldsFor } from '../option/field-role.js'
import { PolicyRule } from '../policy/policy.js'
import {
  Backtest,
  BacktestPolicy,
  EvaluateCall,
  Explanation,
  PolicyFile,
  PolicyInForce,
  PreviewRule,
  RulePreview,
} from '../policy/policy-body.js'
import { BASE, MEGABYTE, type Route } from './shape.js'

export const policyRoutes = {
  getPolicy: {
    method: 'GET',
    path: `${BASE}/policy`,
    role: 'viewer',
    summary: 'Get the effective policy, the path of its file, and the built-in rules',
    status: 200,
    reply: PolicyInForce,
  },
  setPolicy: {
    method: 'PUT',
    path: `${BASE}/policy`,
    role: 'admin',
    summary: 'Replace the policy; takes effect with the next call',
    body: PolicyFile,
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: PolicyInForce,
  },
  addPolicyRule: {
    method: 'POST',
    path: `${BASE}/policy/rules`,
    role: 'admin',
    summary: 'Add a rule to the policy, or replace the rule of the same name',
    body: PolicyRule,
    status: 200,
    reply: PolicyInForce,
  },
  evaluatePolicy: {
    method: 'POST',
    path: `${BASE}/policy/evaluate`,
    role: 'operator', // Not for viewers: globs are expanded on the real file system, which reveals file names.
    summary: 'Evaluate a call against the policy, or another one, with reasons; runs nothing',
    body: EvaluateCall,
    fields: fieldsFor('operator', 'tool', 'input', 'cwd', 'sessionId', 'mode', 'agent', 'jail', 'policy'),
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: Explanation,
  },
  previewRule: {
    method: 'POST',
    path: `${BASE}/policy/preview`,
    role: 'operator', // As above.
    summary:
      'Judge an example of a rule and the closest calls, without and with the rule; saves and runs nothing',
    body: PreviewRule,
    fields: fieldsFor('operator', 'rule', 'cwd', 'call', 'policy'),
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: z.strictObject({ preview: RulePreview }),
  },
  backtestPolicy: {
    method: 'POST',
    path: `${BASE}/policy/backtest`,
    role: 'operator',
    summary: 'Replay recorded calls against another policy; returns those whose verdict would change',
    body: BacktestPolicy,
    fields: fieldsFor('operator', 'policy', 'since'),
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: z.strictObject({ backtest: Backtest }),
  },
} as const satisfies Record<string, Route>
