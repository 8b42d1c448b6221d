/** The WHERE clause of a list. Only given filters are in the query, so that SQLite can use an index. */

/** Joins the conditions that have a value, in order. */
export function conditions(all: readonly [condition: string, value: string | undefined][]): {
  where: string
  values: string[]
} {
  const wanted = all.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]))
  return {
    where: ['1', ...wanted.map(({ condition }) => condition)].join(' AND '),
    values: wanted.map(({ value }) => value),
  }
}
