import type { PolicyRule, Session, ToolInfo } from '../../../src/protocol/index.js'
import { count, duration, t } from '../i18n/i18n.js'
import { sessionPath } from '../route.js'
import { sessionName } from '../session/session-label.js'
import { client, useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { useLoaded } from '../ui/use-loaded.js'
import { hasTool, rulesForTool } from './tool-use.js'

const MAX_SESSIONS = 3

/** The tools that Signalbox provides: description, source, input schema, and the sessions that can call them. */
export function ToolsTab() {
  const tools = useLoaded(async () => (await client.listTools({ query: { limit: 1_000 } })).tools)
  const policy = useLoaded(() => client.getPolicy())
  const allSessions = useStore((state) => state.sessions)
  const running = [...allSessions.values()].filter(
    ({ kind, state }) => kind === 'managed' && state !== 'ended',
  )
  const rules = [...(policy.value?.policy.rules ?? []), ...(policy.value?.always ?? [])]
  return (
    <>
      {tools.problem && <p role="alert">{tools.problem}</p>}
      {tools.value?.length === 0 && <p className="empty">{t('tools.none')}</p>}
      <ul className="tools">
        {tools.value?.map((tool) => (
          <li key={tool.id}>
            <Tool
              tool={tool}
              sessions={running.filter((session) => hasTool(session, tool))}
              rules={rulesForTool(rules, tool)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

interface ToolProps {
  tool: ToolInfo
  /** Running sessions that can call it. */
  sessions: readonly Session[]
  /** Policy rules that match it by name. */
  rules: readonly PolicyRule[]
}

function Tool({ tool, sessions, rules }: ToolProps) {
  const { id, agentName, description, input, annotations, timeoutMs, source } = tool
  return (
    <article className="card panel" aria-label={id}>
      <header className="row">
        <h2 className="grow">{printable(annotations.title ?? id)}</h2>
        {annotations.readOnlyHint === true && <span className="badge green">{t('tools.read_only')}</span>}
        {annotations.destructiveHint === true && (
          <span className="badge amber">{t('tools.destructive')}</span>
        )}
        <span className="badge">{source === 'built-in' ? t('tools.built_in') : t('tools.from_file')}</span>
      </header>
      <p className="tool-description">{printable(description)}</p>
      <dl className="keys small">
        <dt>{t('tools.name')}</dt>
        <dd>
          <code>{printable(agentName)}</code>
        </dd>
        {source !== 'built-in' && (
          <>
            <dt>{t('tools.source')}</dt>
            <dd>
              <code>{printable(source)}</code>
            </dd>
          </>
        )}
        <dt>{t('tools.timeout')}</dt>
        <dd>{timeoutMs > 0 ? duration(timeoutMs) : t('tools.no_timeout')}</dd>
        <dt>{t('tools.available')}</dt>
        <dd>
          {sessions.length === 0 ? t('tools.no_sessions') : count('tools.sessions', sessions.length)}
          {sessions.slice(0, MAX_SESSIONS).map((session) => (
            <span key={session.id}>
              {' · '}
              <Link to={sessionPath(session.id)}>{printable(sessionName(session))}</Link>
            </span>
          ))}
          {sessions.length > MAX_SESSIONS && ' …'}
        </dd>
        <dt>{t('policy.tab.rules')}</dt>
        <dd>
          {rules.length === 0 ? t('tools.no_rules') : rules.map(({ name }) => printable(name)).join(', ')}
        </dd>
      </dl>
      <details>
        <summary>{t('tools.schema')}</summary>
        <pre className="output">
          {input === null ? t('tools.no_schema') : printable(JSON.stringify(input, null, 2))}
        </pre>
      </details>
    </article>
  )
}
