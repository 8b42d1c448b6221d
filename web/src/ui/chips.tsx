import type { ReactNode } from 'react'

interface ChipsProps<Value extends string> {
  label: string
  values: readonly Value[]
  chosen: Value
  nameOf(value: Value): ReactNode
  onChoose(value: Value): void
}

/** One of a few values. */
export function Chips<Value extends string>({ label, values, chosen, nameOf, onChoose }: ChipsProps<Value>) {
  return (
    <fieldset className="chips">
      <legend className="visually-hidden">{label}</legend>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          className="chip"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {nameOf(value)}
        </button>
      ))}
    </fieldset>
  )
}
