import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ids } from '../../test/support/build.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { openHome } from '../home.js'
import { startTokenOf } from '../lib/start-token.js'
import { claimDatabase, findHolder } from './home-lock.js'
import { openSqliteStore } from './sqlite/store.js'

async function setup() {
  const home = openHome(join(await temporaryFolder(), 'home'))
  const store = await openSqliteStore({ path: home.database, newId: () => ids.next('evt') })
  onTestFinished(() => store.close())
  const holders = () => store.database.prepare('SELECT pid FROM holder').all()
  return { home, store, holders }
}

test('a claim that ends leaves no row behind: this process may live on, and another may have the home', async () => {
  const { home, store, holders } = await setup()
  const claim = claimDatabase(store.database, home.database)
  expect(holders()).toEqual([{ pid: process.pid }])
  claim.remove()
  claim.forget()
  expect(holders()).toEqual([])
  claimDatabase(store.database, home.database).forget()
})

test('a claim that ends leaves the row of another process alone', async () => {
  const { home, store } = await setup()
  const claim = claimDatabase(store.database, home.database)
  const parent = process.ppid
  store.database.prepare('UPDATE holder SET pid = ?, start_token = ?').run(parent, startTokenOf(parent) ?? '')
  claim.remove()
  claim.forget()
  expect(await findHolder(home.database)).toBe(parent)
  expect(() => claimDatabase(store.database, home.database)).toThrow('Another process')
})
