/** Why a session, or its process, was ended. */

export const endTemplates = {
  'end.stopped': 'Stopped by {who}.',
  'end.stopped-agent': 'Stopped.',
  'end.deleted': 'Deleted by {who}.',
  'end.shutdown': 'Signalbox was stopped.',
  'end.cut-off': 'Signalbox was stopped during this turn. Send a message to continue.',
  'end.parked': 'The session was parked.',
  'end.untrusted': 'The workspace is not trusted any more.',
  'end.not-started': 'Interrupted before it had started.',
  'end.task': 'The task has ended.',
  'end.caller': 'The calling agent was stopped.',
  'end.caller-lost': 'Signalbox was restarted, and with it ended the call that this session was to answer.',
  'end.cleared': 'The conversation was cleared.',
  'end.resumed-other': 'Another conversation was resumed in its place.',
  'end.logged-out': 'The user logged out.',
  'end.left': 'The user left.',
  'end.process': 'The process ended.',
  'end.process-gone': 'The process ended unexpectedly.',
  'end.superseded': 'The process continued with another session.',
  'end.transcript': 'Nothing more is in its transcript.',
} as const
