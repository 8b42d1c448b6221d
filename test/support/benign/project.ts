/** The workspace in which the benign commands are typed: a small TypeScript and Python project with a history. */

import type { PlacedFiles } from '../../../src/policy/file/placed-files.js'

const TEXTS: Readonly<Record<string, string>> = {
  '.eslintrc.json': '{"root": true}\n',
  '.gitignore': 'node_modules\ndist\nlogs\n.env\n',
  '.env.example': 'PORT=3000\nDATABASE_URL=\n',
  '.github/workflows/ci.yml': 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n',
  'CHANGELOG.md': '# Changes\n\n## 1.1.0\n\n- Orders\n\n## 1.0.0\n\n- Users\n',
  Dockerfile: 'FROM node:20\nCOPY . .\nCMD ["node", "dist/index.js"]\n',
  LICENSE: 'MIT\n',
  Makefile: 'test:\n\tnpm test\n',
  'README.md': '# Orders\n\nA small service.\n\n## Install\n\nnpm install\n\n## Use\n\nnpm start\n',
  'assets/logo.png': '\u0089PNG\r\n',
  'data/events.jsonl':
    '{"id": 1, "name": "start", "level": "info", "msg": "up"}\n{"id": 2, "name": "stop", "level": "error", "msg": "down"}\n',
  'data/sample.csv': 'name,role,total\nAda,admin,120\nBob,user,80\nCid,user,100\n',
  'dist/bundle.tar.gz': '',
  'dist/bundle.zip': '',
  'dist/index.js': 'console.log("built")\n',
  'docker-compose.yml': 'services:\n  db:\n    image: postgres\n',
  'docs/adr/0001-use-express.md': '# Use express\n',
  'docs/api.md': '# API\n\nGET /users\n\n$ref: users\n',
  'docs/architecture.md': '# Architecture\n\nOne process. This way is deprecated.\n',
  'docs/release notes.md': '# Release notes\n\nNothing yet.\n',
  'logs/app.log': '10:00 INFO: listening on localhost:3000\n10:01 ERROR: no such order\n',
  'node_modules/express/package.json': '{"name": "express", "version": "4.19.2"}\n',
  'node_modules/zod/package.json': '{"name": "zod", "version": "3.23.8"}\n',
  'package-lock.json': '{"name": "orders", "packages": {"": {}, "node_modules/express": {}}}\n',
  'package.json':
    '{\n  "name": "orders",\n  "version": "1.1.0",\n  "scripts": {\n    "test": "vitest"\n  },\n  "dependencies": {\n    "express": "^4.19.2",\n    "zod": "^3.23.8"\n  },\n  "devDependencies": {\n    "typescript": "^5.4.0"\n  }\n}\n',
  'pyproject.toml': '[project]\nname = "worker"\n',
  'requirements.txt': '# the worker\nflask\nredis\n',
  'scripts/import_data.py': 'import csv\n',
  'scripts/report.py': '#!/usr/bin/env python3\nimport json\n',
  'src/app.ts':
    "import express from 'express'\nimport { logger } from './lib/logger.js'\n\n// TODO: close the server\nexport const app = express()\nconst load = async () => createUser()\n",
  'src/components/Button.tsx': "export const Button = () => useState('x')\n",
  'src/components/LoginForm.tsx': 'export const LoginForm = () => "password"\n',
  'src/config.ts': 'export const port = process.env.PORT ?? 3000\n',
  'src/db/client.ts': 'try {\n  connect()\n} catch {\n  retry()\n}\n',
  'src/db/migrations/001_init.sql': 'CREATE TABLE users (id INT);\n',
  'src/db/migrations/002_orders.sql': 'CREATE TABLE orders (id INT);\n',
  'src/index.ts': "export { app } from './app.js'\n",
  'src/lib/logger.ts': 'export class Logger {}\nexport const logger = new Logger()\n',
  'src/lib/retry.ts': 'export async function retry(run: () => Promise<void>) {\n  await run()\n}\n',
  'src/routes/orders.ts': "app.get('/orders', list)\n",
  'src/routes/users.ts': "export function createUser() {}\napp.post('/users', createUser)\n",
  'src/server.ts': "import { app } from './app.js'\napp.listen(3000)\n",
  'src/types.ts': 'export interface User {\n  id: number\n}\nexport type OrderStatus = string\n',
  'test/fixtures/users.json':
    '[{"id": 1, "name": "Ada", "email": "ada@example.com", "role": "admin", "active": true}]\n',
  'test/orders.test.ts': "test('orders', () => expect(1).toBe(1))\n",
  'test/users.test.ts': "describe('users', () => test('one', () => expect(1).toBe(1)))\n",
  'tests/test_queue.py': 'def test_empty():\n    assert True\n',
  'tsconfig.json': '{"compilerOptions": {"strict": true}}\n',
  'worker/__init__.py': '',
  'worker/main.py': 'from worker.queue import Queue\n',
  'worker/queue.py': 'class Queue:\n    def push(self, item):\n        pass\n',
}

const REPOSITORY: PlacedFiles = {
  '.git/HEAD': { file: 'ref: refs/heads/main\n' },
  '.git/config': { file: '[core]\n\tbare = false\n' },
  '.git/index': { file: '' },
  '.git/objects': { dir: true },
  '.git/refs/heads/main': { file: '' },
}

export const PROJECT: PlacedFiles = {
  ...REPOSITORY,
  ...Object.fromEntries(Object.entries(TEXTS).map(([path, file]) => [path, { file }])),
}

/** The same project with one protected file: what reads whole trees would show it. */
export const PROJECT_WITH_ENV: PlacedFiles = { ...PROJECT, '.env': { file: 'API_KEY=canary\n' } }
