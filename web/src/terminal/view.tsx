import { t } from '../i18n/i18n.js'
import { client } from '../store/state.js'
import { useLoaded } from '../ui/use-loaded.js'
import { HookPanel } from './hook-panel.js'
import { Skills } from './skills.js'
import { TerminalCard } from './terminal-card.js'

const EVERY_MS = 3_000

/** Terminal sessions as reported by lifecycle hooks, their skills, and the state of the hooks. */
export function TerminalsView() {
  const terminals = useLoaded(
    async () => (await client.listTerminalSessions({ query: { limit: 200 } })).sessions,
    EVERY_MS,
  )
  const skills = useLoaded(
    async () => (await client.listTerminalSkills({ query: { limit: 200 } })).skills,
    EVERY_MS,
  )
  const hooks = useLoaded(async () => (await client.hookStatus()).hooks, EVERY_MS)
  const problem = terminals.problem || skills.problem || hooks.problem
  return (
    <div className="page">
      <header>
        <h1>{t('nav.terminals')}</h1>
        <p>{t('terminals.explained')}</p>
      </header>
      {problem && <p role="alert">{problem}</p>}
      {hooks.value && <HookPanel status={hooks.value} />}
      {terminals.value?.length === 0 && <p className="empty">{t('terminals.none')}</p>}
      {terminals.value && terminals.value.length > 0 && (
        <ul className="terminals">
          {terminals.value.map((terminal) => (
            <TerminalCard key={terminal.sessionId} terminal={terminal} />
          ))}
        </ul>
      )}
      {skills.value && skills.value.length > 0 && (
        <Skills skills={skills.value} terminals={terminals.value ?? []} />
      )}
    </div>
  )
}
