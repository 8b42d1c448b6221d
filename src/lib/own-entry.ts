/** Looks up an untrusted name in a table. Prototype pollution: never an inherited property such as `constructor`. */
export function ownEntry<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
