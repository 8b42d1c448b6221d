/** Describes the effect of a git command in words. The rule of the finding does not depend on it. */

import { type Reason, reason } from '../../../protocol/reason/reason.js'
import type { Field } from '../../shell/field.js'

export function gitEffect(verb: string, args: readonly Field[], isNetwork: boolean): Reason {
  const texts = args.map(({ text }) => text)
  switch (verb) {
    case 'push':
      return pushEffect(texts)
    case 'fetch':
    case 'ls-remote':
      return reason('git.fetch', { verb })
    case 'pull':
      return reason('git.pull')
    case 'clone':
      return reason('git.clone')
    case 'remote':
      return reason('git.remote')
    case 'add':
    case 'stage':
      return reason('git.stage', { verb })
    case 'commit':
      return texts.includes('--amend') ? reason('git.amend') : reason('git.commit')
    case 'reset':
      return texts.includes('--hard') ? reason('git.reset-hard') : reason('git.reset')
    case 'checkout':
    case 'switch':
    case 'restore':
      return reason('git.checkout', { verb })
    case 'clean':
      return reason('git.clean')
    case 'rebase':
    case 'filter-branch':
    case 'filter-repo':
      return reason('git.history', { verb })
    case 'merge':
    case 'cherry-pick':
    case 'revert':
      return reason('git.merge', { verb })
    case 'stash':
      return reason('git.stash')
    case 'branch':
      return texts.some((text) => /^(?:-[a-z]*[dD]|--delete)$/.test(text))
        ? reason('git.delete-branch')
        : reason('git.branch')
    case 'tag':
      return reason('git.tag')
    case 'rm':
      return reason('git.remove')
    case 'mv':
      return reason('git.move')
    case 'config':
      return reason('git.config')
    default:
      return isNetwork ? reason('git.network', { verb }) : reason('git.changes', { verb })
  }
}

/** `+REF` forces one reference, `:REF` deletes one. */
function pushEffect(texts: readonly string[]): Reason {
  const [remote = 'the remote', ...refs] = texts.filter((text) => !text.startsWith('-'))
  const names = refs.map((ref) => ref.replace(/^\+/, '').replace(/^[^:]*:/, ''))
  const target = [remote, names.join(', ')].filter((text) => text !== '').join('/')
  if (
    texts.some((text) =>
      /^(?:-[a-eg-zA-Z]*f[a-zA-Z]*|--force(?:-with-lease|-if-includes)?(?:=.*)?|--mirror)$/.test(text),
    )
  )
    return reason('git.force-push', { target })
  if (refs.some((ref) => ref.startsWith('+'))) return reason('git.force-push', { target })
  const isDeletion = texts.some((text) => /^(?:-[a-ce-zA-Z]*d[a-zA-Z]*|--delete|--prune)$/.test(text))
  if (isDeletion || refs.some((ref) => ref.startsWith(':'))) return reason('git.delete-push', { target })
  return reason('git.push', { target })
}
