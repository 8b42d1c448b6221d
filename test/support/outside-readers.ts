/** Unrelated programs that open the database of a running daemon without knowing of it. */

import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface OutsideReader {
  name: string
  /** Opens, reads and closes the database once. */
  read(database: string, folder: string): Promise<unknown>
}

const PYTHON = `import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute('select count(*) from event').fetchone()[0])
connection.close()`

const PYTHON_BACKUP = `import sqlite3, sys
source, target = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[2])
source.backup(target)
target.close()
source.close()`

const ALL: readonly (OutsideReader & { program: string })[] = [
  {
    name: 'sqlite3',
    program: 'sqlite3',
    read: (database) => run('sqlite3', [database, 'select count(*) from event']),
  },
  { name: 'Python', program: 'python3', read: (database) => run('python3', ['-c', PYTHON, database]) },
  { name: 'cp', program: 'cp', read: (database, folder) => run('cp', [database, join(folder, 'copy.db')]) },
  {
    name: 'sqlite3 .backup',
    program: 'sqlite3',
    read: (database, folder) => run('sqlite3', [database, `.backup '${join(folder, 'backup.db')}'`]),
  },
  {
    name: 'a backup with Python',
    program: 'python3',
    read: (database, folder) => run('python3', ['-c', PYTHON_BACKUP, database, join(folder, 'python.db')]),
  },
]

/** Those that are installed here. */
export const outsideReaders: readonly OutsideReader[] = ALL.filter(
  ({ program }) => spawnSync(program, ['--version']).error === undefined,
)
