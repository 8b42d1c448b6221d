import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.js'
import { setLanguage } from './i18n/i18n.js'
import { startPresence } from './notification/presence.js'
import { startNotifications } from './notify.js'
import { startServiceWorker } from './service-worker.js'
import { requestFirst, start } from './store/login.js'
import { currentPreference } from './store/preference.js'
import './style/token.css'
import './style/base.css'
import './style/layout.css'
import './style/list.css'
import './style/transcript.css'
import './style/compose.css'
import './style/tool.css'
import './style/code.css'
import './style/inbox.css'
import './style/timeline.css'
import './style/page.css'
import './style/notification.css'

async function show(root: HTMLElement): Promise<void> {
  const first = requestFirst()
  document.documentElement.dataset['theme'] = currentPreference().theme
  await setLanguage(currentPreference().language).catch(() => {})
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
  startNotifications()
  await start(first)
  startServiceWorker()
  startPresence()
}

const root = document.getElementById('app')
if (root) void show(root)
