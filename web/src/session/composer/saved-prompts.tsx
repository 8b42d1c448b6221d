import { type FormEvent, useId, useState } from 'react'
import { isAtLeast, PROMPT_NAME, type SavedPrompt } from '../../../../src/protocol/index.js'
import { dateTime, t } from '../../i18n/i18n.js'
import { client, useStore } from '../../store/state.js'
import { Dialog } from '../../ui/dialog.js'
import { useEscape } from '../../ui/escape.js'
import { Icon } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { useLoaded } from '../../ui/use-loaded.js'

interface SavedPromptsProps {
  /** The text of the message that is being written. */
  draft: string
  onInsert(text: string): void
  onClose(): void
}

/** Prompts that were saved for all users of this home: insert, create, change and delete them. */
export function SavedPrompts({ draft, onInsert, onClose }: SavedPromptsProps) {
  const { value, problem, reload } = useLoaded(() => client.listPrompts())
  const [edited, setEdited] = useState<{ name: string; text: string; isNew: boolean } | null>(null)
  const prompts = value?.prompts ?? []
  useEscape(edited !== null, () => setEdited(null))
  const finish = () => {
    setEdited(null)
    reload()
  }
  return (
    <Dialog title={t('prompts')} onClose={onClose}>
      <p className="muted">{t('prompts.explained')}</p>
      {problem && <p role="alert">{problem}</p>}
      {edited ? (
        <PromptForm key={edited.name} {...edited} names={prompts.map(({ name }) => name)} onDone={finish} />
      ) : (
        <>
          {value && prompts.length === 0 && <p className="muted">{t('prompts.none')}</p>}
          <ul className="prompt-list">
            {prompts.map((prompt) => (
              <PromptRow
                key={prompt.name}
                prompt={prompt}
                onInsert={() => {
                  onInsert(prompt.text)
                  onClose()
                }}
                onEdit={() => setEdited({ name: prompt.name, text: prompt.text, isNew: false })}
                onDeleted={reload}
              />
            ))}
          </ul>
          <div className="row end">
            <button type="button" onClick={() => setEdited({ name: '', text: draft, isNew: true })}>
              <Icon name="plus" /> {draft.trim() === '' ? t('prompts.new') : t('prompts.save_message')}
            </button>
            <button type="button" onClick={onClose}>
              {t('close')}
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}

interface PromptRowProps {
  prompt: SavedPrompt
  onInsert(): void
  onEdit(): void
  onDeleted(): void
}

function PromptRow({ prompt, onInsert, onEdit, onDeleted }: PromptRowProps) {
  const { name, text, savedBy, savedAt } = prompt
  const role = useStore((state) => state.about?.you.role ?? 'viewer')
  const mayChange = isAtLeast(role, prompt.role)
  const [isSure, setIsSure] = useState(false)
  const remove = useAttempt(async () => {
    await client.deletePrompt({ params: { name } })
    onDeleted()
  })
  return (
    <li className="prompt-row">
      <button type="button" className="plain prompt-insert" onClick={onInsert}>
        <span className="popup-name">{name}</span>
        <span className="muted prompt-text">{printable(text.trim().slice(0, 300))}</span>
        <small className="muted">
          {t('prompts.saved_by', { who: printable(savedBy), time: dateTime(savedAt) })}
        </small>
      </button>
      {mayChange && (
        <span className="prompt-actions">
          <button
            type="button"
            className="plain icon-only"
            aria-label={t('prompts.edit', { name })}
            title={t('edit')}
            onClick={onEdit}
          >
            <Icon name="edit" />
          </button>
          <button
            type="button"
            className={isSure ? 'danger' : 'plain icon-only'}
            aria-label={t('prompts.delete', { name })}
            title={t('prompts.delete', { name })}
            disabled={remove.isBusy}
            onClick={() => (isSure ? remove.run() : setIsSure(true))}
            onBlur={() => setIsSure(false)}
          >
            {isSure ? t('prompts.delete_sure') : <Icon name="cross" />}
          </button>
        </span>
      )}
      {remove.problem && <p role="alert">{remove.problem}</p>}
    </li>
  )
}

interface PromptFormProps {
  name: string
  text: string
  isNew: boolean
  /** Names that are taken. */
  names: readonly string[]
  onDone(): void
}

function PromptForm({ name: nameBefore, text: textBefore, isNew, names, onDone }: PromptFormProps) {
  const [name, setName] = useState(nameBefore)
  const [text, setText] = useState(textBefore)
  const wanted = name.trim().normalize('NFC')
  const isNameValid = PROMPT_NAME.test(wanted)
  const id = useId()
  const save = useAttempt(async () => {
    await client.savePrompt({ params: { name: wanted }, body: { text } })
    // Renamed: the new one is there before the old one is gone.
    if (!isNew && wanted !== nameBefore) await client.deletePrompt({ params: { name: nameBefore } })
    onDone()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run()
  }
  const replaces = wanted !== nameBefore && names.includes(wanted)
  return (
    <form className="panel-form" onSubmit={submit}>
      <div className="choice">
        <label htmlFor={`${id}-name`}>{t('prompts.name')}</label>
        <input
          id={`${id}-name`}
          aria-describedby={`${id}-hint`}
          aria-invalid={!isNameValid && wanted !== ''}
          value={name}
          maxLength={60}
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the user has just opened this form.
          autoFocus={isNew}
          onChange={(event) => setName(event.target.value)}
        />
        <small id={`${id}-hint`} className="muted">
          {replaces ? t('prompts.replaces') : t('prompts.name_hint')}
        </small>
      </div>
      <label>
        {t('prompts.text')}
        <textarea
          rows={8}
          value={text}
          maxLength={100_000}
          // biome-ignore lint/a11y/noAutofocus: the user has just opened this form.
          autoFocus={!isNew}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {save.problem && <p role="alert">{save.problem}</p>}
      <div className="row end">
        <button type="button" onClick={onDone}>
          {t('cancel')}
        </button>
        <button
          type="submit"
          className="primary"
          disabled={save.isBusy || !isNameValid || text.trim() === ''}
        >
          {t('save')}
        </button>
      </div>
    </form>
  )
}
