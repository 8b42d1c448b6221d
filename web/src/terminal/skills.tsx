import type { TerminalSession, TerminalSkill } from '../../../src/protocol/index.js'
import { duration, t } from '../i18n/i18n.js'
import { folderName } from '../session/session-label.js'
import { printable } from '../ui/printable.js'
import { useNow } from '../ui/use-now.js'

interface SkillsProps {
  skills: readonly TerminalSkill[]
  terminals: readonly TerminalSession[]
}

/** Running and finished skills, newest first. */
export function Skills({ skills, terminals }: SkillsProps) {
  const now = useNow()
  const folders = new Map(terminals.map(({ sessionId, cwd }) => [sessionId, cwd]))
  return (
    <section className="table-box">
      <table className="table wide text-cells">
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
                    <small className="muted"> {printable(skill.targetDocPath)}</small>
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
