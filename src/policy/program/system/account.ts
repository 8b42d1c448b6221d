/** Programs that change accounts: they write the account files, whatever their arguments. */

import { reason } from '../../../protocol/reason/reason.js'
import { ANYTHING } from '../../shell/stream.js'
import type { Handler } from '../handler.js'

const LOOKS = /^(?:--help|--version|-h|-S|--status|-l|--list|-c|--check)$/

const account: Handler = ({ context, name, args, span }) => {
  const isLook = args.some(({ text }) => LOOKS.test(text)) && /^(?:passwd|chage|visudo|gpasswd)$/.test(name)
  const isHelp = args.length === 1 && /^--(?:help|version)$/.test(args[0]?.text ?? '')
  if (!isLook && !isHelp) context.deny('system-file', reason('program.changes-accounts', { name }), span)
  context.ask('privilege', reason('program.accounts', { name }), span)
  return ANYTHING
}

export const ACCOUNTS: Readonly<Record<string, Handler>> = Object.fromEntries(
  `useradd adduser userdel deluser usermod groupadd addgroup groupdel delgroup groupmod gpasswd chpasswd chgpasswd passwd
  newusers vipw vigr visudo chage pwconv pwunconv`
    .split(/\s+/)
    .map((name) => [name, account]),
)
