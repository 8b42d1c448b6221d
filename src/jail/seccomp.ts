/**
 * A system call filter for the jail, as classic BPF. Namespaces are the boundary; the filter takes away what they do not
 * cover (keyrings, virtual sockets, locks of files) and what could widen them (new namespaces, mounts, tracing, io_uring).
 */

type Arch = 'x64' | 'arm64'

const AUDIT_ARCH: Record<Arch, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }
interface Calls {
  clone: number
  ioctl: number
  socket: number
  fcntl: number
  flock: number
  denied: readonly number[]
  /** They change the metadata of a file, not its content. */
  attributes: readonly number[]
}
const SYSTEM_CALLS: Record<Arch, Calls> = {
  x64: {
    clone: 56,
    ioctl: 16,
    socket: 41,
    fcntl: 72,
    flock: 73,
    // chmod, fchmod, fchmodat, fchmodat2, chown, fchown, lchown, fchownat, utime, utimes, futimesat, utimensat,
    // setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr, setxattrat, removexattrat, file_setattr
    attributes: [
      90, 91, 268, 452, 92, 93, 94, 260, 132, 235, 261, 280, 188, 189, 190, 197, 198, 199, 463, 466, 469,
    ],
    denied: [
      // ptrace, process_vm_readv, process_vm_writev, kcmp, pidfd_getfd
      101, 310, 311, 312, 438,
      // mount, umount2, pivot_root, chroot, unshare, setns
      165, 166, 155, 161, 272, 308,
      // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr
      428, 429, 430, 431, 432, 433, 442, 467,
      // name_to_handle_at, open_by_handle_at, add_key, request_key, keyctl
      303, 304, 248, 249, 250,
      // bpf, perf_event_open, userfaultfd, io_uring_setup, io_uring_enter, io_uring_register
      321, 298, 323, 425, 426, 427,
      // kexec_load, kexec_file_load, init_module, finit_module, delete_module, reboot, swapon, swapoff
      246, 320, 175, 313, 176, 169, 167, 168,
      // sethostname, setdomainname, syslog, acct, quotactl, quotactl_fd, settimeofday, clock_settime
      170, 171, 103, 163, 179, 443, 164, 227,
      // adjtimex, clock_adjtime, iopl, ioperm, lookup_dcookie, vhangup, fanotify_init, move_pages, migrate_pages
      159,
      305, 172, 173, 212, 153, 300, 279, 256,
    ],
  },
  arm64: {
    clone: 220,
    ioctl: 29,
    socket: 198,
    fcntl: 25,
    flock: 32,
    attributes: [52, 53, 452, 55, 54, 88, 5, 6, 7, 14, 15, 16, 463, 466, 469],
    denied: [
      117, 270, 271, 272, 438, 40, 39, 41, 51, 97, 268, 428, 429, 430, 431, 432, 433, 442, 467, 264, 265, 217,
      218, 219, 280, 241, 282, 425, 426, 427, 104, 294, 105, 273, 106, 142, 224, 225, 161, 162, 116, 89, 60,
      443, 170, 112, 171, 266, 18, 58, 262, 239, 238,
    ],
  },
}
/** The same number everywhere. Its flags are in memory, where a filter cannot look; programs fall back to clone. */
const CLONE3 = 435
/** Numbers from here on are the x32 calls. */
const X32 = 0x4000_0000
/** CLONE_NEWTIME is not among them: as a flag of clone it is part of the signal number. */
const NEW_NAMESPACES = 0x7e02_0000
const TERMINAL_INPUT = [0x5412, 0x541c]
/** F_SETLEASE: a process that opens the file on the host would wait for the jail. */
const LEASE = 1024
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: those that a network namespace contains. AF_VSOCK is not. */
const CONTAINED_FAMILIES = [1, 2, 10, 16]

const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06
const ALLOW = 0x7fff_0000
const KILL = 0x8000_0000
const REFUSE = 0x0005_0001
const NO_SUCH_CALL = 0x0005_0026
/** ENOLCK, as on a file system without locks. */
const NO_LOCKS = 0x0005_0025

/**
 * Null where the numbers of the system calls are not known. `isRoot`: the command runs as the owner of the device files,
 * which cannot be mounted read-only (a read-only mount of bubblewrap 0.8 has no devices), so that it may change no
 * attribute of any file.
 */
export function seccompProgram(arch: string, isRoot: boolean): Buffer | null {
  if (arch !== 'x64' && arch !== 'arm64') return null
  const { clone, ioctl, socket, fcntl, flock, attributes, ...calls } = SYSTEM_CALLS[arch]
  const denied = [...calls.denied, ...(isRoot ? attributes : [])]
  const lines: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
    [LOAD, 0, 0, 4],
    [JUMP_EQUAL, 1, 0, AUDIT_ARCH[arch]],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, 0],
    [JUMP_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, NO_SUCH_CALL],
    [JUMP_EQUAL, 0, 1, CLONE3],
    [RETURN, 0, 0, NO_SUCH_CALL],
  ]
  for (const number of denied) lines.push([JUMP_EQUAL, 0, 1, number], [RETURN, 0, 0, REFUSE])
  lines.push(
    [JUMP_EQUAL, 0, 1, flock],
    [RETURN, 0, 0, NO_LOCKS],
    [JUMP_EQUAL, 0, 4, fcntl],
    [LOAD, 0, 0, argument(1)],
    [JUMP_EQUAL, 0, 1, LEASE],
    [RETURN, 0, 0, REFUSE],
    [RETURN, 0, 0, ALLOW],
    [JUMP_EQUAL, 0, 4, clone],
    [LOAD, 0, 0, argument(0)],
    [JUMP_ANY_BIT, 0, 1, NEW_NAMESPACES],
    [RETURN, 0, 0, REFUSE],
    [RETURN, 0, 0, ALLOW],
    [JUMP_EQUAL, 0, 2 + 2 * TERMINAL_INPUT.length, ioctl],
    [LOAD, 0, 0, argument(1)],
  )
  for (const request of TERMINAL_INPUT) lines.push([JUMP_EQUAL, 0, 1, request], [RETURN, 0, 0, REFUSE])
  lines.push(
    [RETURN, 0, 0, ALLOW],
    [JUMP_EQUAL, 0, 2 + 2 * CONTAINED_FAMILIES.length, socket],
    [LOAD, 0, 0, argument(0)],
  )
  for (const family of CONTAINED_FAMILIES) lines.push([JUMP_EQUAL, 0, 1, family], [RETURN, 0, 0, ALLOW])
  lines.push([RETURN, 0, 0, REFUSE], [RETURN, 0, 0, ALLOW])
  return Buffer.concat(lines.map(encode))
}

/** Where the lower half of an argument stands; both machines are little-endian. */
function argument(index: number): number {
  return 16 + 8 * index
}

function encode([code, ifTrue, ifFalse, value]: readonly [number, number, number, number]): Buffer {
  const line = Buffer.alloc(8)
  line.writeUInt16LE(code, 0)
  line.writeUInt8(ifTrue, 2)
  line.writeUInt8(ifFalse, 3)
  line.writeUInt32LE(value, 4)
  return line
}
