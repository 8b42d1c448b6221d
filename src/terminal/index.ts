export {
  LifecycleSessionMonitor,
  type LifecycleSessionMonitorOptions,
} from './monitor/lifecycle-session-monitor.js'
export type { SessionMonitorProvider, SessionSnapshot, SkillRun } from './monitor/monitor.js'
export type {
  LifecycleEvent,
  SessionLifecycleEvent,
  SkillLifecycleEvent,
  TurnEvent,
} from './stream/event.js'
export {
  FileStreamConsumer,
  type FileStreamConsumerOptions,
  openFileStreamConsumer,
} from './stream/file-stream-consumer.js'
