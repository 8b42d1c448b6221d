/** Notices in a session, and why its process has ended. */

export const noticeTemplates = {
  'process.ended': 'The Claude Code process ended unexpectedly.',
  'process.no-reaction': 'Claude Code did not react within {seconds} s.',
  'notice.process-retry': 'Trying again in {seconds} s ({attempt} of {max}).',
  'notice.not-responding': 'Claude Code is not responding. Stop the session to end its process.',
  'notice.no-reaction': 'Claude Code has not reacted to the message for {seconds} s.',
  'notice.shutting-down': 'Claude Code is shutting down.',
  'notice.crash-loop':
    'Signalbox ended unexpectedly {count} times in a row right after it had resumed this session.',
  'notice.crash-loop-next': 'Signalbox resumes it again in {seconds} s.',
  'notice.crash-loop-held':
    'Signalbox does not resume it automatically any more. Queued messages are kept. To try again, send a message or continue the turn; to prevent that, cancel them.',
  'notice.reconnected':
    'Signalbox was restarted. It has reconnected to Claude Code, which was running meanwhile.',
  'notice.call-repeated':
    'Signalbox was restarted while this ran; it may have taken effect. It is not run again automatically.',
  'notice.untrusted':
    'The workspace, or a folder above it, is not trusted. The process that had loaded its settings was ended; the next message starts one without them.',
  'notice.queued-before-bypass':
    'The session changed to bypassPermissions. Messages that wait will run without asking: {messages}. Cancel those that should not.',
  'notice.queued-before-bypass-more':
    'The session changed to bypassPermissions. Messages that wait will run without asking: {messages} and {count} more. Cancel those that should not.',
  'notice.call-uncertain':
    '"{title}" was allowed right before Signalbox was restarted. It may have run or not: check before you continue the turn. It is asked again.',
  'notice.form-uncertain':
    'Your answer to "{title}" of the MCP server {server} was accepted right before Signalbox was restarted. The server may have it or not: check before you continue the turn. If the server asks again, so does the inbox.',
  'notice.answer-unused': 'Your answer to "{title}" was not used.',
  'notice.model-retry': 'The model did not answer ({reason}); trying again, {attempt} of {max}.',
  'notice.rate-limit': 'Rate limit ({kind}): {status}.',
  'notice.model-changed': 'Model changed.',
  'notice.model-other': 'Another model answered.',
  'notice.model-refused': 'The model refused to answer.',
  'notice.logging-in': 'Claude Code logs in.',
  'notice.logged-in': 'Claude Code has logged in.',
  'notice.transcript-long':
    'A line of {megabytes} MB of the transcript is kept truncated: byte {offset} of {file}.',
  'notice.transcript-line': 'A line of the transcript {file} could not be recorded.',
  'notice.cleared': 'The conversation was cleared.',
  'notice.plugin': 'Installing {name}: {status}',
  'notice.plugin-failed': 'Could not install {name}: {status}',
  'notice.call-refused': 'Claude Code refused a tool call.',
  'notice.copy-failed': 'Claude Code could not copy the conversation.',
  'notice.record-failed': 'Claude Code could not write its record of the conversation.',
  'notice.server-failed': 'MCP server {server} did not start: {reason}',
  'notice.server-failed-silently': 'MCP server {server} did not start: Claude Code gives no reason',
  'notice.undo-outside': 'Undo does not cover files outside the workspace that this call names: {files}.',
  'notice.undo-ignored':
    'Undo does not cover {count} ignored files that this call names: more than snapshots.maxIgnoredFiles or maxIgnoredMegabytes.',
  'notice.recording-too-large':
    'Changes in this folder are not recorded and cannot be undone: it has {files} files ({megabytes} MB), more than snapshots.maxFiles or maxMegabytes.',
  'notice.recording-failed': 'Changes are not recorded at the moment and cannot be undone: {reason}',
  'notice.snapshots-deleted':
    'The snapshots of this session were deleted, because all snapshots together exceed snapshots.maxStoreMegabytes. Its changes cannot be undone any more.',
} as const
