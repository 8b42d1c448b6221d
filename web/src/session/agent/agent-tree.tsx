import { useMemo } from 'react'
import { compact, count, duration, money, t } from '../../i18n/i18n.js'
import type { OpenSession } from '../../store/state.js'
import { printable } from '../../ui/printable.js'
import { useNow } from '../../ui/use-now.js'
import { costLabel, modelName, sessionName } from '../session-label.js'
import { type AgentNode, buildAgentTree } from './model.js'

/** The main agent and its subagents, with the usage of each. */
export function AgentTree({ open }: { open: OpenSession }) {
  const now = useNow()
  const agents = useMemo(() => buildAgentTree(open.events), [open.events])
  const { session } = open
  if (!session) return null
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = session.usage
  return (
    <section className="agents" aria-label={t('tab.agents')}>
      <ul className="tree">
        <li>
          <div className="agent card">
            <span className={`status-dot ${session.state}`} aria-hidden="true" />
            <span className="grow truncate">
              <strong>{printable(sessionName(session))}</strong>
              <small className="muted">
                {session.model === null ? '' : `${modelName(session.model)} · `}
                {count('turns', session.turns)}
              </small>
            </span>
            <span className="agent-facts" hidden={session.turns === 0}>
              {compact(inputTokens + cacheReadInputTokens + cacheCreationInputTokens)} {t('tokens.in')} ·{' '}
              {compact(outputTokens)} {t('tokens.out')} · {costLabel(session)}
            </span>
          </div>
          <AgentNodes agents={agents} now={now} />
        </li>
      </ul>
      {agents.length === 0 && <p className="empty">{t('agents.none')}</p>}
      {Object.keys(session.modelUsage).length > 0 && (
        <table className="table">
          <caption>{t('agents.models')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('model')}</th>
              <th scope="col">{t('tokens.in')}</th>
              <th scope="col">{t('tokens.cache')}</th>
              <th scope="col">{t('tokens.out')}</th>
              <th scope="col">{t('cost')}</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(session.modelUsage).map(([model, usage]) => (
              <tr key={model}>
                <th scope="row">{modelName(model)}</th>
                <td>{compact(usage.inputTokens)}</td>
                <td>{compact(usage.cacheReadInputTokens + usage.cacheCreationInputTokens)}</td>
                <td>{compact(usage.outputTokens)}</td>
                <td>{session.scriptedCostUsd === undefined ? money(usage.costUsd) : costLabel(session)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function AgentNodes({ agents, now }: { agents: readonly AgentNode[]; now: number }) {
  if (agents.length === 0) return null
  return (
    <ul>
      {agents.map((agent) => (
        <li key={agent.id}>
          <div className="agent card">
            <span
              className={`status-dot ${agent.outcome === null ? 'working' : agent.outcome === 'failed' ? 'failed' : 'ended'}`}
              aria-hidden="true"
            />
            <span className="grow truncate">
              <strong>{printable(agent.description ?? agent.type)}</strong>
              <small className="muted">
                {printable(agent.type)} ·{' '}
                {agent.outcome === null ? t('tool.running') : t(`outcome.${agent.outcome}`)}
                {agent.isBackground && ` · ${t('background')}`}
              </small>
            </span>
            <span className="agent-facts">
              {count('steps', agent.tools)}
              {agent.tokens !== null && ` · ${compact(agent.tokens)} ${t('tokens')}`} ·{' '}
              {duration((agent.endedAt ?? now) - agent.startedAt)}
            </span>
          </div>
          <AgentNodes agents={agent.children} now={now} />
        </li>
      ))}
    </ul>
  )
}
