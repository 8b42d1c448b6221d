import { type Grant, grantScope } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { printable } from '../ui/printable.js'

/** The scope of a grant, as precisely as `grantText` says it. */
export function grantLabel(grant: Grant): string {
  const scope = grantScope(grant)
  const tool = printable(scope.tool)
  switch (scope.kind) {
    case 'server':
      return t('grant.server', { tool, server: printable(scope.server) })
    case 'pattern':
      return t('grant.pattern', { tool, command: printable(scope.command) })
    case 'text':
    case 'words': {
      const command = printable(scope.command)
      return scope.folder === null
        ? t('grant.text', { tool, command })
        : t(`grant.${scope.kind}_in`, { tool, command, folder: printable(scope.folder) })
    }
    default:
      return t(`grant.${scope.kind}`, { tool })
  }
}
