export interface Finding {
  name: string
  /** `warning`: it works without. */
  state: 'ok' | 'warning' | 'broken'
  found: string
  fix?: string
}
