import type { PolicyRule, Session, ToolInfo } from '../../../src/protocol/index.js'
import { count, duration, t } from '../i18n/i18n.js'
import { sessionPath } from '../route.js'
import { nameOf } from '../session/session-label.js'
import { client, useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { useLoaded } from '../ui/use-loaded.js'
import { hasTool, rulesNaming } from './tool-use.js'

const MAX_SESSIONS = 3

/** Our own tools: what each does, where it comes from, what it takes, who has it. */
export function ToolsTab() {
  const tools = useLoaded(async () => (await client.listTools({ query: { limit: 1_000 } })).tools)
  const policy = useLoaded(() => client.getPolicy())
  const sessions = useStore((state) => state.sessions)
  const running = [...sessions.values()].filter(({ kind, state }) => kind === 'managed' && state !== 'ended')
  const rules = [...(policy.value?.policy.rules ?? []), ...(policy.value?.always ?? [])]
  return (
    <>
      {tools.problem && <p role="alert">{tools.problem}</p>}
      {tools.value?.length === 0 && <p className="blank">{t('tools.none')}</p>}
      <ul className="tools">
        {tools.value?.map((tool) => (
          <li key={tool.id}>
            <Tool
              tool={tool}
              users={running.filter((session) => hasTool(session, tool))}
              rules={rulesNaming(rules, tool)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

interface ToolProps {
  tool: ToolInfo
  /** Sessions that have it now. */
  users: readonly Session[]
  /** Rules of the policy that name it. */
  rules: readonly PolicyRule[]
}

function Tool({ tool, users, rules }: ToolProps) {
  const { id, agentName, description, input, annotations, timeoutMs, source } = tool
  return (
    <article className="card panel" aria-label={id}>
      <header className="row">
        <h2 className="grow">{printable(annotations.title ?? id)}</h2>
        {annotations.readOnlyHint === true && <span className="badge green">{t('tools.reads')}</span>}
        {annotations.destructiveHint === true && <span className="badge amber">{t('tools.changes')}</span>}
        <span className="badge">{source === 'built-in' ? t('tools.built_in') : t('tools.own')}</span>
      </header>
      <p className="tool-words">{printable(description)}</p>
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
        <dt>{t('tools.users')}</dt>
        <dd>
          {users.length === 0 ? t('tools.no_users') : count('tools.sessions', users.length)}
          {users.slice(0, MAX_SESSIONS).map((session) => (
            <span key={session.id}>
              {' · '}
              <Link to={sessionPath(session.id)}>{printable(nameOf(session))}</Link>
            </span>
          ))}
          {users.length > MAX_SESSIONS && ' …'}
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
