import type { Session } from '../embed/session.js'

/** Interrupts what a session does; where its process does not answer, ends it. Never rejects. */
export async function stopTurn(session: Session): Promise<void> {
  try {
    await session.interrupt().catch(() => session.close())
  } catch {
    // The Signalbox itself is being closed, which ends every process.
  }
}
