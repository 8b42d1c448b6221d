import { type ReactNode, useEffect, useId, useRef } from 'react'

interface Described {
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface FieldWithProblemProps {
  problem: string | null
  /** Gets the attributes that connect the field with the text of its problem. */
  children(described: Described): ReactNode
}

/** A field with its problem below it. A new problem is scrolled into view, because the field may be far up. */
export function FieldWithProblem({ problem, children }: FieldWithProblemProps) {
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (problem !== null) frame.current?.scrollIntoView({ block: 'nearest' })
  }, [problem])
  return (
    <div className="field" ref={frame}>
      {children({
        'aria-invalid': problem !== null,
        'aria-describedby': problem === null ? undefined : id,
      })}
      {problem !== null && (
        <p id={id} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
