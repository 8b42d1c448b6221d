import type { TerminalSession, TerminalSkill } from '../../../src/protocol/index.js'
import { Copyable } from '../part/copy.js'
import { Link } from '../part/link.js'
import { printable } from '../part/printable.js'
import { sessionPath } from '../route.js'
import { folderName, modelName } from '../session/session-word.js'
import { client } from '../store/state.js'
import { useLoaded } from '../use-loaded.js'
import { useNow } from '../use-now.js'
import { compact, count, duration, elapsed, t } from '../word/word.js'

const EVERY_MS = 3_000

/** What runs in terminals, told by lifecycle hooks, and the skills that it uses. */
export function TerminalsView() {
  const terminals = useLoaded(
    async () => (await client.listTerminalSessions({ query: { limit: 200 } })).sessions,
    EVERY_MS,
  )
  const skills = useLoaded(
    async () => (await client.listTerminalSkills({ query: { limit: 200 } })).skills,
    EVERY_MS,
  )
  const problem = terminals.problem || skills.problem
  return (
    <div className="page">
      <header>
        <h1>{t('nav.terminals')}</h1>
        <p>{t('terminals.explained')}</p>
      </header>
      {problem && <p role="alert">{problem}</p>}
      {terminals.value?.length === 0 && <HowToInstall />}
      {terminals.value && terminals.value.length > 0 && (
        <ul className="terminals">
          {terminals.value.map((terminal) => (
            <Terminal key={terminal.sessionId} terminal={terminal} />
          ))}
        </ul>
      )}
      {skills.value && skills.value.length > 0 && (
        <Skills skills={skills.value} terminals={terminals.value ?? []} />
      )}
    </div>
  )
}

function HowToInstall() {
  return (
    <div className="blank">
      <h2>{t('terminals.none')}</h2>
      <p>{t('terminals.install')}</p>
      <Copyable text="signalbox hooks install" />
      <p>{t('terminals.status')}</p>
      <Copyable text="signalbox hooks status" />
    </div>
  )
}

function Terminal({ terminal }: { terminal: TerminalSession }) {
  const now = useNow()
  const { id, title, lastUserMessage, cwd, model, tokens, gitBranch, turnCount, currentSkill, agents } =
    terminal
  const name = printable(
    (title ?? lastUserMessage ?? terminal.sessionId).replaceAll(/\s+/g, ' ').slice(0, 200),
  )
  const running = agents.filter(({ state }) => state === 'running').length
  return (
    <li className="card terminal">
      <span className={`lamp ${lampOf(terminal)}`} aria-hidden="true" />
      <div className="grow">
        <p className="cut">
          {id === null ? <strong>{name}</strong> : <Link to={sessionPath(id)}>{name}</Link>}
        </p>
        <p className="soft">
          {doing(terminal)}
          {currentSkill && ` · ${t('terminals.skill', { name: printable(currentSkill.skillName) })}`}
        </p>
        <p className="facts">
          {cwd !== null && <span title={cwd}>{printable(folderName(cwd))}</span>}
          {gitBranch !== null && <span>{printable(gitBranch)}</span>}
          {model !== null && <span>{modelName(model)}</span>}
          {turnCount > 0 && <span>{count('turns', turnCount)}</span>}
          {tokens && (
            <span>
              {compact(tokens.input + tokens.cached + tokens.cacheCreation)} {t('tokens.in')} ·{' '}
              {compact(tokens.output)} {t('tokens.out')}
            </span>
          )}
          {running > 0 && <span>{count('agents', running)}</span>}
          {terminal.cpuPercent !== null && (
            <span>
              {Math.round(terminal.cpuPercent)} % CPU · {Math.round(terminal.memMb ?? 0)} MB
            </span>
          )}
        </p>
      </div>
      <time className="since" dateTime={terminal.lastActivityAt}>
        {elapsed(now - Date.parse(terminal.lastActivityAt))}
      </time>
    </li>
  )
}

function lampOf({ state, activityPhase }: TerminalSession): string {
  if (state === 'completed') return 'ended'
  if (activityPhase === 'waiting_permission') return 'permission'
  if (activityPhase === 'waiting_question') return 'question'
  return activityPhase === 'busy' ? 'working' : 'idle'
}

function doing({ state, activityPhase, waitingFor, endReason }: TerminalSession): string {
  if (state === 'completed')
    return endReason === null ? t('doing.ended') : t('ended.because', { reason: printable(endReason) })
  switch (activityPhase) {
    case 'waiting_permission':
      return waitingFor?.toolName
        ? t('doing.wants', { call: printable(waitingFor.toolName) })
        : t('doing.permission')
    case 'waiting_question':
      return t('doing.question')
    case 'busy':
      return t('doing.works')
    case 'interactable':
      return t('doing.idle')
  }
}

interface SkillsProps {
  skills: readonly TerminalSkill[]
  terminals: readonly TerminalSession[]
}

function Skills({ skills, terminals }: SkillsProps) {
  const now = useNow()
  const folders = new Map(terminals.map(({ sessionId, cwd }) => [sessionId, cwd]))
  return (
    <section>
      <table className="table wide">
        <caption>{t('skills')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('skill')}</th>
            <th scope="col">{t('new.folder')}</th>
            <th scope="col">{t('skill.started_by')}</th>
            <th scope="col">{t('skill.state')}</th>
            <th scope="col">{t('skill.time')}</th>
          </tr>
        </thead>
        <tbody>
          {skills.map((skill) => {
            const cwd = folders.get(skill.sessionId)
            const took = skill.durationMs ?? now - Date.parse(skill.startedAt)
            return (
              <tr key={skill.id}>
                <th scope="row">
                  {printable(skill.skillName)}
                  {skill.targetDocPath !== null && (
                    <small className="soft"> {printable(skill.targetDocPath)}</small>
                  )}
                </th>
                <td>{cwd ? printable(folderName(cwd)) : ''}</td>
                <td>{skill.startedBy === null ? '–' : t(`skill.by.${skill.startedBy}`)}</td>
                <td>
                  <span className={skill.state === 'in_progress' ? 'badge green' : 'badge'}>
                    {skill.state === 'in_progress'
                      ? t('todo.in_progress')
                      : t(`skill.outcome.${skill.outcome ?? 'unknown'}`)}
                  </span>
                </td>
                <td>{duration(Math.max(0, took))}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
