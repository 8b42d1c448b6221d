export function nodeBinary(major: number): string | null
