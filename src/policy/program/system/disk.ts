/** Programs that create file systems, partition tables and swap, or erase disks. */

import { ownEntry } from '../../../lib/own-entry.js'
import { reason } from '../../../protocol/reason/reason.js'
import { absolute } from '../../file/path.js'
import { isDisk } from '../../file/well-known-paths.js'
import { type Field, tail } from '../../shell/field.js'
import type { Call, Handler } from '../handler.js'

interface DiskTool {
  /** With one of these words it only reads. */
  looks?: RegExp
  /** It destroys data only with one of these words. */
  destroys?: RegExp
}

const TOOLS: Readonly<Record<string, DiskTool>> = {
  mke2fs: { looks: /^-n$/ },
  mkswap: {},
  mkdosfs: {},
  mkntfs: { looks: /^(?:-n|--no-action)$/ },
  mkreiserfs: {},
  mkudffs: {},
  newfs: { looks: /^-N$/ },
  wipefs: { looks: /^(?:-n|--no-act)$/, destroys: /^(?:-[a-z]*[ao]|--all|--offset)/ },
  sgdisk: {
    destroys:
      /^(?:-[ZzondtcgmlRGus]|--(?:zap|clear|new|delete|change|mbrtogpt|largest|load|replicate|randomize|sort|typecode))/,
  },
  gdisk: { looks: /^-l$/ },
  cgdisk: {},
  fdisk: { looks: /^(?:-[a-z]*[lsx]|--list|--list-details|--getsz)$/ },
  sfdisk: {
    looks:
      /^(?:-[a-z]*[ldJsFTVrg]|--(?:list|dump|json|show-size|list-free|list-types|verify|part-uuid|version))/,
  },
  cfdisk: {},
  parted: {
    destroys:
      /^(?:mklabel|mktable|mkpart|mkpartfs|mkfs|rm|resizepart|resize|move|rescue|set|disk_set|toggle|name|cp)$/,
  },
  partprobe: { destroys: /^$/ },
  cryptsetup: { destroys: /^(?:luksFormat|luksErase|erase|format|reencrypt|luksHeaderRestore|create)$/ },
  nvme: {
    destroys: /^(?:format|sanitize|write|write-zeroes|write-uncor|delete-ns|create-ns|dsm|security-send)$/,
  },
  hdparm: {
    destroys:
      /^--(?:security-erase|security-erase-enhanced|trim-sector-ranges|write-sector|repair-sector|make-bad-sector|sanitize-\w+|dco-restore|fwdownload)/,
  },
  blkdiscard: {},
  blkzone: { destroys: /^reset$/ },
  badblocks: { destroys: /^-[a-z]*w/ },
  sg_format: {},
  sg_sanitize: {},
  sg_write_same: {},
  pvcreate: {},
  pvremove: {},
  vgremove: {},
  lvremove: {},
  mdadm: { destroys: /^(?:-C|--create|--zero-superblock|-B|--build)$/ },
  zpool: { destroys: /^(?:create|destroy|labelclear)$/ },
  zfs: { destroys: /^destroy$/ },
  'grub-install': {},
  'grub2-install': {},
  lilo: {},
  diskutil: { destroys: /^(?:erase\w*|partitionDisk|zeroDisk|randomDisk|secureErase|reformat|delete\w+)$/i },
  hdiutil: { destroys: /^$/ },
  nwipe: {},
  scrub: {},
}

/** Their operand is a name of their own, not a device. */
const WITHOUT_DEVICE = new Set(['vgremove', 'lvremove', 'zpool', 'zfs', 'diskutil', 'lilo', 'mdadm'])

export function diskTool(name: string): Handler | null {
  const tool =
    ownEntry(TOOLS, name) ??
    (/^(?:mkfs|newfs)[._]/.test(name) || name === 'mkfs' ? TOOLS['mke2fs'] : undefined)
  return tool === undefined ? null : (call) => judge(call, tool)
}

function judge({ context, name, args, span }: Call, { looks, destroys }: DiskTool) {
  const texts = args.map(({ text }) => text)
  const isHarmless =
    texts.some((text) => looks?.test(text)) ||
    (destroys !== undefined && !texts.some((text) => destroys.test(text)))
  context.ask('privilege', reason('program.disks', { name }), span)
  if (isHarmless || texts.some((text) => text === '--help' || text === '--version'))
    return { text: null, taint: 0, names: null }
  const disks = args.filter((field) => isDisk(absolute('/', valueOf(field).text)))
  if (disks.length > 0 || WITHOUT_DEVICE.has(name)) {
    context.deny(
      'disk',
      disks[0] === undefined
        ? reason('program.any-disk', { name })
        : reason('program.disk', { name, disk: disks[0].text }),
      disks[0]?.span ?? span,
    )
  }
  for (const field of args)
    if (/[./]/.test(field.text) && !field.text.startsWith('-')) context.access('write', field)
  return { text: null, taint: 0, names: null }
}

function valueOf(field: Field): Field {
  const equals = /^--?[\w-]+=/.exec(field.text)?.[0]
  return equals === undefined ? field : tail(field, equals.length)
}

/** `dd` and its relatives: operands are `name=value`, in any order. */
export const dd: Handler = ({ context, name, args, span }) => {
  const named = (pattern: RegExp) =>
    args.flatMap((field) => {
      const match = pattern.exec(field.text)
      return match === null ? [] : [tail(field, match[0].length)]
    })
  const inputs = named(/^if=/)
  for (const field of inputs) context.access('read', field)
  const contents = inputs.map((field) => context.contentOf(field))
  const content = contents[0] ?? context.stdin ?? { text: null, taint: 0, names: null }
  const outputs = named(/^(?:of|wof|hof|log|hashlog)=/)
  for (const field of outputs) {
    context.access('write', field, { content })
    if (field.isTree) context.access('delete', field)
  }
  context.ask('write', reason('program.copies-bytes', { name }), span)
  return outputs.length > 0 ? { text: '', taint: 0, names: null } : content
}

/** `format C:` formats a drive; with other operands it is another program of that name. */
export const format: Handler = ({ context, args, span }) => {
  const drive = args.find(({ text }) => /^[a-z]:[\\/]?$/i.test(text))
  if (drive !== undefined) context.deny('disk', reason('program.formats', { disk: drive.text }), drive.span)
  context.ask('program', reason('program.unlisted', { name: 'format' }), span)
  return { text: null, taint: 0, names: null }
}
