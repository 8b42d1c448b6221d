/** Steps of `service install` and `uninstall`, done or planned. */

export type ServiceStep =
  | { kind: 'written' | 'unchanged' | 'removed' | 'missing'; path: string }
  /** A file that was edited is kept under another name. */
  | { kind: 'saved'; path: string; to: string }
  | { kind: 'kept'; path: string; problem: string }
  /** Its manager does not answer; its files are removed all the same. */
  | { kind: 'not_stopped'; name: string; problem: string }
  | { kind: 'variables'; path: string; names: string[] }
  | { kind: 'path_shortened'; folders: string[] }
  | { kind: 'activated' | 'restarted' | 'deactivated'; name: string }
  | { kind: 'restart_needed'; name: string; fix: string }
  | { kind: 'not_activated'; name: string; problem: string; fix: string }
  | { kind: 'refused'; path: string; problem: string; fix: string }
