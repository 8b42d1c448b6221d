import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.js'
import { setLanguage } from './i18n/i18n.js'
import { startNotifications } from './notify.js'
import { startServiceWorker } from './service-worker.js'
import { start } from './store/login.js'
import { currentPreference } from './store/preference.js'
import './style/token.css'
import './style/base.css'
import './style/layout.css'
import './style/list.css'
import './style/transcript.css'
import './style/tool.css'
import './style/inbox.css'
import './style/timeline.css'
import './style/page.css'

async function show(root: HTMLElement): Promise<void> {
  document.documentElement.dataset['theme'] = currentPreference().theme
  await setLanguage(currentPreference().language).catch(() => {})
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
  startNotifications()
  startServiceWorker()
  await start()
}

const root = document.getElementById('app')
if (root) void show(root)
