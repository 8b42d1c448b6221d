/** Finds files that import each other, directly or through others (strongly connected components, by Tarjan). */

/** Each knot of more than one file, sorted. */
export function findImportCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const cycles: string[][] = []

  function visit(file: string): number {
    order.set(file, order.size)
    let low = order.size - 1
    open.push(file)
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (open.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? low)
    }
    lowest.set(file, low)
    if (low === order.get(file)) {
      const knot = open.splice(open.indexOf(file))
      if (knot.length > 1) cycles.push(knot.toSorted())
    }
    return low
  }

  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return cycles
}
