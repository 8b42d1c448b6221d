/** The commands about notifications: channels, users, phones, and the certificate that phones need. */

import { type CommandGroup, HOME, JSON_OUT, UTC } from './group.js'

export const notificationCommands: CommandGroup = {
  title: 'Notifications and phones',
  names: ['channels', 'users', 'mute', 'phone', 'tls'],
  add(program, { terminal, finish }) {
    const load = () => import('../command/channels.js')
    const channels = program
      .command('channels')
      .description('channels through which users are notified: list, add, test, pause, remove, log')

    channels
      .command('list', { isDefault: true })
      .description('list the channels with their state, in the order in which they are tried')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await load()).listChannels(options, terminal)))

    channels
      .command('add')
      .description('add a channel, or replace the settings of one')
      .argument('<name>')
      .option('--kind <kind>', 'webhook, ntfy, telegram, desktop or command', 'desktop')
      .option('--user <user>', 'user that it belongs to (default admin)')
      .option('--may <right>', 'see, message or answer (default see)')
      .option('--url <url>', 'address of the webhook, or of the ntfy server')
      .option('--topic <topic>', 'topic of ntfy')
      .option('--chat <id>', 'id of the Telegram chat')
      .option(
        '--token-file <file>',
        'file with the token of ntfy or Telegram, or the secret of the webhook; - for standard input',
      )
      .option('--titles-only', 'send no details')
      .option('--command <argv...>', 'program as an absolute path, and its arguments')
      .option('--settings <file>', 'all settings as JSON instead; - for standard input')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) => finish((await load()).addChannel(name, options, terminal)))

    channels
      .command('test')
      .description('send a test message through a channel')
      .argument('<name>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) => finish((await load()).testChannel(name, options, terminal)))

    for (const [verb, isPaused, text] of [
      [
        'pause',
        true,
        'send nothing through a channel until it is resumed; its links and buttons do not work meanwhile',
      ],
      ['resume', false, 'resume a paused channel'],
    ] as const)
      channels
        .command(verb)
        .description(text)
        .argument('<name>')
        .option(...HOME)
        .option(...JSON_OUT)
        .action(async (name, options) =>
          finish((await load()).pauseChannel(name, isPaused, options, terminal)),
        )

    channels
      .command('remove')
      .description('remove a channel, with its links and buttons')
      .argument('<name>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) => finish((await load()).removeChannel(name, options, terminal)))

    channels
      .command('log')
      .description('list notifications with their delivery, newest first')
      .option('--limit <count>', 'at most this number', '30')
      .option(...HOME)
      .option(...UTC)
      .option(...JSON_OUT)
      .action(async (options) => finish((await load()).logChannels(options, terminal)))

    const users = program.command('users').description('users who are notified: list, set, remove')

    users
      .command('list', { isDefault: true })
      .description('list users, in the order in which they are notified')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/users.js')).listUsers(options, terminal)))

    users
      .command('set')
      .description('add a user, or change its settings')
      .argument('<name>')
      .option('--may <right>', 'through channels: see, message or answer')
      .option('--language <language>', 'of notifications: en, ko or ja')
      .option('--quiet <times>', 'quiet hours such as 22:00-07:00, or none')
      .option('--time-zone <zone>', 'of the quiet hours, such as Asia/Seoul')
      .option('--min-severity <severity>', 'notice, serious, destructive or none')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) =>
        finish((await import('../command/users.js')).setUser(name, options, terminal)),
      )

    users
      .command('remove')
      .description('remove a user with its tokens, logins, devices and channels')
      .argument('<name>')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (name, options) =>
        finish((await import('../command/users.js')).removeUser(name, options, terminal)),
      )

    program
      .command('mute')
      .description('send no notifications about sessions')
      .argument('<id...>')
      .option('--undo', 'send them again')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (ids, options) =>
        finish((await import('../command/session/keep.js')).mute(ids, options, terminal)),
      )

    program
      .command('phone')
      .description('check how a phone can reach this machine, and pair it with a QR code')
      .option('--role <role>', 'role of the phone: viewer, operator or admin', 'operator')
      .option('--user <user>', 'user that the phone belongs to', 'admin')
      .option('--url <url>', 'https address under which the phone reaches this machine')
      .option('--setup <way>', 'change the settings for a way: tailscale')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/phone.js')).phone(options, terminal)))

    const tls = program.command('tls').description('https in your network with a certificate of this machine')

    tls
      .command('init')
      .description(
        'make a certificate authority limited to this machine, and a certificate; sets tlsCert and tlsKey',
      )
      .option('--name <host...>', 'names and addresses of this machine (default: those in its network)')
      .option('--force', 'replace the authority; every device has to trust the new one')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/tls.js')).tlsInit(options, terminal)))

    tls
      .command('remove')
      .description('delete the authority and the certificate')
      .option(...HOME)
      .option(...JSON_OUT)
      .action(async (options) => finish((await import('../command/tls.js')).tlsRemove(options, terminal)))
  },
}
