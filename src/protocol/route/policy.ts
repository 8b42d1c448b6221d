/** The policy: what holds, what it says, what another would have said. */

import { z } from 'zod'
import { fieldsFor } from '../field-role.js'
import { PolicyRule } from '../policy.js'
import {
  Backtest,
  BacktestPolicy,
  EvaluateCall,
  Explanation,
  PolicyFile,
  PolicyInForce,
} from '../policy-command.js'
import { BASE, MEGABYTE, type Route } from './shape.js'

export const policyRoutes = {
  getPolicy: {
    method: 'GET',
    path: `${BASE}/policy`,
    role: 'viewer',
    summary: 'The policy that holds, where it is kept, and the rules that hold besides it',
    status: 200,
    reply: PolicyInForce,
  },
  setPolicy: {
    method: 'PUT',
    path: `${BASE}/policy`,
    role: 'admin',
    summary: 'Keep another policy; it holds from the next call on',
    body: PolicyFile,
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: PolicyInForce,
  },
  addPolicyRule: {
    method: 'POST',
    path: `${BASE}/policy/rules`,
    role: 'admin',
    summary: 'Add a rule to the policy; one of the same name makes room',
    body: PolicyRule,
    status: 200,
    reply: PolicyInForce,
  },
  evaluatePolicy: {
    method: 'POST',
    path: `${BASE}/policy/evaluate`,
    role: 'operator', // Globs are expanded on the real file system, which tells which files there are.
    summary: 'What the policy, or another one, says to a call, and why; nothing is run',
    body: EvaluateCall,
    fields: fieldsFor('operator', 'tool', 'input', 'cwd', 'sessionId', 'mode', 'agent', 'jail', 'policy'),
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: Explanation,
  },
  backtestPolicy: {
    method: 'POST',
    path: `${BASE}/policy/backtest`,
    role: 'operator',
    summary: 'What another policy would have said to the recorded calls: those with another verdict',
    body: BacktestPolicy,
    fields: fieldsFor('operator', 'policy', 'since'),
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: z.strictObject({ backtest: Backtest }),
  },
} as const satisfies Record<string, Route>
