interface ChoiceFieldProps<Value extends string> {
  label: string
  values: readonly Value[]
  nameOf(value: Value): string
  chosen: readonly Value[]
  onChange(chosen: Value[]): void
}

/** Several of a few values. None: the condition is not set. */
export function ChoiceField<Value extends string>({
  label,
  values,
  nameOf,
  chosen,
  onChange,
}: ChoiceFieldProps<Value>) {
  return (
    <fieldset className="several">
      <legend>{label}</legend>
      {values.map((value) => (
        <label key={value} className="choice">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
            }
          />{' '}
          {nameOf(value)}
        </label>
      ))}
    </fieldset>
  )
}
