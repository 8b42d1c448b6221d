export function withBundle<Result>(
  source: string,
  use: (file: string) => Result | Promise<Result>,
): Promise<Result>
