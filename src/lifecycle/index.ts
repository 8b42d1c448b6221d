export type {
  LifecycleEvent,
  SessionLifecycleEvent,
  SkillLifecycleEvent,
  TurnEvent,
} from './event.js'
export {
  FileStreamConsumer,
  type FileStreamConsumerOptions,
  openFileStreamConsumer,
} from './file-stream-consumer.js'
export { LifecycleSessionMonitor, type LifecycleSessionMonitorOptions } from './lifecycle-session-monitor.js'
export type { SessionMonitorProvider, SessionSnapshot, SkillRun } from './session-monitor.js'
