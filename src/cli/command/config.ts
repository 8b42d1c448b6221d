/** `signalbox config print`: the effective settings and the source of each. */

import { type Config, readConfig, settingOrigins } from '../../config.js'
import { homePath } from '../../home.js'
import type { CommandOptions } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import { table } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'

/** Secrets of channels and of the collector are not printed. The path of a webhook can be one. */
export function withoutSecrets(config: Config): Config {
  const channels = Object.entries(config.channels).map(([name, settings]) => {
    if (settings.kind === 'webhook')
      return [
        name,
        { ...settings, secret: HIDDEN, url: `${new URL(settings.url).origin}/${HIDDEN}` },
      ] as const
    return [name, 'token' in settings ? { ...settings, token: HIDDEN } : settings] as const
  })
  const headers = Object.keys(config.telemetry.headers).map((name) => [name, HIDDEN] as const)
  const telemetry = { ...config.telemetry, headers: Object.fromEntries(headers) }
  return { ...config, channels: Object.fromEntries(channels), telemetry }
}

const HIDDEN = '[redacted]'

export async function printConfig(
  options: CommandOptions & { showOrigin?: boolean },
  terminal: Terminal,
): Promise<number> {
  const { env } = process
  const home = homePath(options.home, env)
  const config = withoutSecrets(readConfig(home, {}, env))
  const origins = settingOrigins(home, {}, env)
  if (options.json) {
    terminal.json(options.showOrigin ? { home, config, origins } : { home, config })
    return EXIT.done
  }
  const rows = Object.entries(config).map(([name, value]) => [
    name,
    JSON.stringify(value),
    origins[name] ?? '',
  ])
  const columns = [{ title: 'setting' }, { title: 'value', maxWidth: 80, minWidth: 12, wraps: true }]
  const source = { title: 'source', minWidth: 10, wraps: true }
  terminal.out(table(options.showOrigin ? [...columns, source] : columns, rows, { width: terminal.columns }))
  return EXIT.done
}
