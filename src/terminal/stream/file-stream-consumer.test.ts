import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { type Database, openDatabase } from '../../lib/sqlite/driver.js'
import { FileStreamConsumer, type FileStreamConsumerOptions } from './file-stream-consumer.js'
import { rotateStream } from './rotate.js'

let lastId = 0

/** A line as the hook writes it, each later than the previous one. */
function aLine(fields: Record<string, unknown> = {}): { id: string; text: string } {
  const id = `0197${(lastId++).toString(16).padStart(8, '0')}-${randomUUID()}`
  const line = {
    id,
    eventType: 'session.lifecycle',
    phase: 'started',
    occurredAtIso: '2026-11-15T12:00:00.000Z',
    sessionId: 'ses-1',
    provider: 'claude',
    projectPath: '/home/dev/project',
    cwd: '/home/dev/project',
    ...fields,
  }
  return { id, text: `${JSON.stringify(line)}\n` }
}

async function setup(options: Partial<FileStreamConsumerOptions> = {}) {
  const folder = await temporaryFolder()
  const path = join(folder, 'streams', 'lifecycle.jsonl')
  mkdirSync(dirname(path))
  const database = await openDatabase(':memory:')
  const clock = createManualClock()
  const make = () => new FileStreamConsumer({ path, database, clock, rotateAtBytes: 0, ...options })
  let consumer = make()
  const written: string[] = []
  onTestFinished(async () => {
    await consumer.close()
    database.close()
  })
  const write = (count = 1, to = path) => {
    const lines = Array.from({ length: count }, () => aLine())
    appendFileSync(to, lines.map(({ text }) => text).join(''))
    written.push(...lines.map(({ id }) => id))
  }
  return {
    path,
    folder: dirname(path),
    database,
    clock,
    written,
    write,
    /** A line written in two parts. */
    split() {
      const { id, text } = aLine()
      return {
        first: () => appendFileSync(path, text.slice(0, 40)),
        rest: () => {
          appendFileSync(path, text.slice(40))
          written.push(id)
        },
        abandon: () => appendFileSync(path, text.slice(0, 40)),
      }
    },
    async poll() {
      clock.advance(2_000)
      await consumer.consume()
    },
    async restart() {
      await consumer.close()
      consumer = make()
    },
    rotate: () => {
      clock.advance(5)
      return rotateStream(path, clock.now())
    },
    copyTruncate(to = `${path}.1`) {
      copyFileSync(path, to)
      truncateSync(path, 0)
    },
    consumer: () => consumer,
    stored: () => idsIn(database),
    bad: () => badIn(database),
  }
}

type Scene = Awaited<ReturnType<typeof setup>>

function idsIn(database: Database): string[] {
  const rows = database.prepare('select id from session_lifecycle_events order by rowid').all()
  return rows.map((row) => (row as { id: string }).id)
}

function badIn(database: Database): string[] {
  const rows = database
    .prepare('select reason from lifecycle_bad_lines order by seen_at_iso, byte_offset')
    .all()
  return rows.map((row) => (row as { reason: string }).reason)
}

/** Scenarios for the file. After each, every written line is stored exactly once, in order. */
const LIVES: Record<string, (scene: Scene) => unknown> = {
  'nothing is there': async ({ poll }) => poll(),
  'it appears after the start': async ({ poll, write }) => {
    await poll()
    write(3)
  },
  'it was there before the start': ({ write }) => write(3),
  'it grows between polls': async ({ poll, write }) => {
    for (let round = 0; round < 5; round++) {
      write(round)
      await poll()
    }
  },
  'it grows while nobody reads': async ({ poll, write, restart }) => {
    write(2)
    await poll()
    await restart()
    write(2)
  },
  'it has not changed over a restart': async ({ poll, write, restart }) => {
    write(2)
    await poll()
    await restart()
    await poll()
  },
  'a line arrives in two pieces': async ({ poll, split, write }) => {
    const line = split()
    write()
    line.first()
    await poll()
    line.rest()
    write()
  },
  'a line arrives in two pieces with a restart between them': async ({ poll, split, restart }) => {
    const line = split()
    line.first()
    await poll()
    await restart()
    line.rest()
  },
  'the first line arrives in pieces': async ({ poll, split, write }) => {
    const line = split()
    line.first()
    await poll()
    await poll()
    line.rest()
    await poll()
    write()
  },
  'it is empty for a while': async ({ poll, path, write }) => {
    writeFileSync(path, '')
    await poll()
    write(2)
  },
  'it is rotated by rename': async ({ poll, write, rotate }) => {
    write(2)
    await poll()
    rotate()
    write(2)
  },
  'it is rotated with unread lines': async ({ poll, write, rotate }) => {
    write(1)
    await poll()
    write(2)
    rotate()
    write(2)
  },
  'it is rotated before it is ever read': ({ write, rotate }) => {
    write(2)
    rotate()
    write(2)
  },
  'it is rotated three times between polls': async ({ poll, write, rotate }) => {
    write(2)
    await poll()
    for (let round = 0; round < 3; round++) {
      write(2)
      rotate()
    }
    write(1)
  },
  'it is rotated and nobody writes afterwards': async ({ poll, write, rotate }) => {
    write(2)
    await poll()
    write(2)
    rotate()
    await poll()
  },
  'it is rotated and nobody writes until a restart': async ({ poll, write, rotate, restart }) => {
    write(2)
    await poll()
    write(1)
    rotate()
    await restart()
  },
  'it is rotated while nobody reads': async ({ poll, write, rotate, restart }) => {
    write(2)
    await poll()
    await restart()
    write(2)
    rotate()
    write(2)
  },
  'it is rotated several times while nobody reads': async ({ poll, write, rotate, restart }) => {
    write(2)
    await poll()
    await restart()
    for (let round = 0; round < 4; round++) {
      write(2)
      rotate()
    }
    write(1)
  },
  'a writer writes into a file that has been set aside': async ({ poll, write, rotate }) => {
    write(2)
    await poll()
    const rotated = rotate()
    write(1, rotated?.to)
    await poll()
    write(1)
    await poll()
    write(1, rotated?.to)
  },
  'a writer writes into a file that has been set aside, over a restart': async ({
    poll,
    write,
    rotate,
    restart,
  }) => {
    write(2)
    await poll()
    const rotated = rotate()
    write(1)
    await poll()
    await restart()
    write(1, rotated?.to)
  },
  'a writer writes into what was set aside before, and nothing is at the place of the stream': async ({
    poll,
    write,
    rotate,
  }) => {
    write(1)
    const first = rotate()
    write(1)
    await poll()
    rotate()
    await poll()
    write(1, first?.to)
  },
  'a line is half written when the file is set aside': async ({ poll, path, rotate, write, written }) => {
    const { id, text } = aLine()
    write(1)
    appendFileSync(path, text.slice(0, 30))
    await poll()
    const rotated = rotate()
    await poll()
    appendFileSync(rotated?.to ?? '', text.slice(30))
    written.push(id)
    await poll()
    write(1)
  },
  'others rotate it by numbers': async ({ poll, write, path }) => {
    write(2)
    await poll()
    write(2)
    renameSync(path, `${path}.1`)
    write(2)
    await poll()
    renameSync(`${path}.1`, `${path}.2`)
    renameSync(path, `${path}.1`)
    write(1)
  },
  'others rotate it by numbers while nobody reads': async ({ poll, write, path, restart }) => {
    write(2)
    await poll()
    await restart()
    write(1)
    renameSync(path, `${path}.1`)
    write(1)
    renameSync(`${path}.1`, `${path}.2`)
    renameSync(path, `${path}.1`)
    write(1)
  },
  'others rotate it by date': async ({ poll, write, path }) => {
    write(2)
    await poll()
    write(1)
    renameSync(path, `${path}-20261115`)
    write(1)
  },
  'it is copied and emptied, everything read': async ({ poll, write, copyTruncate }) => {
    write(3)
    await poll()
    copyTruncate()
    await poll()
    write(1)
  },
  'it is copied and emptied with unread lines': async ({ poll, write, copyTruncate }) => {
    write(3)
    await poll()
    write(2)
    copyTruncate()
    write(1)
  },
  'it is copied and emptied and has grown past the old place': async ({ poll, write, copyTruncate }) => {
    write(2)
    await poll()
    write(1)
    copyTruncate()
    write(5)
  },
  'it is copied and emptied before it is ever read': ({ write, copyTruncate }) => {
    write(2)
    copyTruncate()
    write(2)
  },
  'it is copied and emptied while nobody reads': async ({ poll, write, copyTruncate, restart }) => {
    write(2)
    await poll()
    await restart()
    write(1)
    copyTruncate()
    write(4)
  },
  'it is copied and emptied twice': async ({ poll, write, copyTruncate, path }) => {
    write(2)
    await poll()
    write(1)
    copyTruncate(`${path}-20261114`)
    await poll()
    write(2)
    copyTruncate(`${path}-20261115`)
    write(1)
  },
  'it is emptied after everything was read': async ({ poll, write, path }) => {
    write(3)
    await poll()
    truncateSync(path, 0)
    write(2)
  },
  'it is emptied and filled past the old place': async ({ poll, write, path }) => {
    write(2)
    await poll()
    truncateSync(path, 0)
    write(6)
  },
  'it is emptied and stays so for a while': async ({ poll, write, path }) => {
    write(2)
    await poll()
    truncateSync(path, 0)
    await poll()
    write(1)
  },
  'it is written over with the same size': async ({ poll, write, path, written }) => {
    write(2)
    await poll()
    const { id, text } = aLine()
    const { id: other, text: second } = aLine()
    writeFileSync(path, text + second)
    written.push(id, other)
  },
  'its end is cut off and written anew': async ({ poll, write, path }) => {
    write(4)
    await poll()
    const size = Buffer.byteLength(readFileSync(path, 'utf8').split('\n').slice(0, 2).join('\n')) + 1
    truncateSync(path, size)
    write(1)
  },
  'it is deleted and made anew': async ({ poll, write, path }) => {
    write(2)
    await poll()
    rmSync(path)
    write(2)
  },
  'it is deleted and made anew with the same inode': async ({ poll, write, path, restart }) => {
    write(2)
    await poll()
    await restart() // Nothing is open, so the file system reuses the inode.
    rmSync(path)
    write(3)
  },
  'it is deleted with unread lines while it is open': async ({ poll, write, path }) => {
    write(2)
    await poll()
    write(2)
    rmSync(path)
    write(2)
  },
  'it is deleted and stays away': async ({ poll, write, path }) => {
    write(2)
    await poll()
    rmSync(path)
    await poll()
    await poll()
    write(1)
  },
  'its folder is deleted and made anew': async ({ poll, write, path, folder }) => {
    write(2)
    await poll()
    rmSync(folder, { recursive: true })
    await poll()
    mkdirSync(dirname(path))
    write(2)
  },
  'its folder is renamed and made anew': async ({ poll, write, path, folder }) => {
    write(2)
    await poll()
    renameSync(folder, `${folder}-old`)
    mkdirSync(dirname(path))
    write(2)
  },
  'it is replaced by an editor': async ({ poll, write, path }) => {
    write(2)
    await poll()
    writeFileSync(`${path}.tmp`, readFileSync(path))
    renameSync(`${path}.tmp`, path)
    write(1)
  },
  'a copy lies beside it': async ({ poll, write, path }) => {
    write(2)
    copyFileSync(path, `${path}.bak`)
    await poll()
    write(1)
  },
  'a second name is given to it': async ({ poll, write, path }) => {
    write(2)
    linkSync(path, `${path}.1`)
    await poll()
    write(1)
  },
  'it is a link to another place': async ({ poll, write, path, folder }) => {
    writeFileSync(join(folder, 'elsewhere'), '')
    symlinkSync(join(folder, 'elsewhere'), path)
    write(2)
    await poll()
    write(1)
  },
  'what was set aside is deleted': async ({ poll, write, rotate }) => {
    write(2)
    await poll()
    const rotated = rotate()
    write(1)
    await poll()
    rmSync(rotated?.to ?? '')
    await poll()
    await poll()
    write(1)
  },
  'what was set aside is packed': async ({ poll, write, rotate }) => {
    write(2)
    await poll()
    const rotated = rotate()
    write(1)
    await poll()
    renameSync(rotated?.to ?? '', `${rotated?.to}.gz`)
    await poll()
    write(1)
  },
  'unrelated files lie beside it': async ({ poll, write, path, folder }) => {
    writeFileSync(join(folder, 'other.jsonl'), 'not ours\n')
    writeFileSync(`${path}x`, 'not ours\n')
    mkdirSync(`${path}.d`)
    write(2)
    await poll()
    write(1)
  },
  'its time goes backwards': async ({ poll, write, path }) => {
    write(2)
    await poll()
    write(1)
    utimesSync(path, 0, 0)
    await poll()
    write(1)
  },
  'it ends without a line end for ever': async ({ poll, write, split, path }) => {
    write(2)
    split().abandon()
    await poll()
    await poll()
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(false)
  },
  'a line that was cut short is followed by a whole one': async ({ poll, write, split }) => {
    write(1)
    split().abandon()
    await poll()
    write(2)
  },
}

test('enough lives of a file are tried', () => {
  expect(Object.keys(LIVES).length).toBeGreaterThanOrEqual(40)
})

test.each(Object.entries(LIVES))('%s: everything is stored once, in order', async (_, live) => {
  const scene = await setup()

  await live(scene)
  await scene.poll()
  await scene.poll()

  expect(scene.stored()).toEqual(scene.written)
})

test.each(Object.entries(LIVES))('%s, and a restart: nothing is doubled', async (_, live) => {
  const scene = await setup({ batchBytes: 300 })

  await live(scene)
  await scene.poll()
  await scene.restart()
  await scene.poll()

  expect(scene.stored()).toEqual(scene.written)
})

test('whatever happens to a file that is only rotated, everything is stored once, in order', async () => {
  const scene = await setup({ batchBytes: 700 })
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.integer({ min: 0, max: 5 }).map((count) => ({ kind: 'write' as const, count })),
    },
    fc.constantFrom('poll', 'restart', 'rotate').map((kind) => ({ kind })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      for (const next of steps) {
        if (next.kind === 'write' && 'count' in next) scene.write(next.count)
        else if (next.kind === 'poll') await scene.poll()
        else if (next.kind === 'restart') await scene.restart()
        else scene.rotate()
      }
      await scene.poll()

      expect(scene.stored()).toEqual(scene.written)
    }),
    { numRuns: 30 },
  )
})

describe('bad lines', () => {
  test('are kept aside with their place and reason, and do not hinder the others', async () => {
    const scene = await setup()
    const bad = [
      'not json',
      '{"id":"1"',
      '[]',
      '"text"',
      '{}',
      JSON.stringify({ ...JSON.parse(aLine().text), phase: 'resting' }),
      JSON.stringify({ ...JSON.parse(aLine().text), occurredAtIso: 'yesterday' }),
      JSON.stringify({ ...JSON.parse(aLine().text), sessionId: '' }),
      JSON.stringify({ ...JSON.parse(aLine().text), eventType: 7 }),
      JSON.stringify({ ...JSON.parse(aLine().text), eventType: 'skill.lifecycle', phase: 'completed' }),
    ]
    for (const line of bad) {
      scene.write()
      appendFileSync(scene.path, `${line}\n`)
    }
    scene.write()
    await scene.poll()
    await scene.restart()
    await scene.poll()

    expect(scene.stored()).toEqual(scene.written)
    expect(scene.bad()).toEqual([
      'not_json',
      'not_json',
      'not_an_object',
      'not_an_object',
      'id_invalid',
      'phase_invalid',
      'time_invalid',
      'session_id_invalid',
      'event_type_invalid',
      'skill_name_missing',
    ])
    const [first] = scene.database.prepare('select * from lifecycle_bad_lines order by byte_offset').all()
    expect(first).toMatchObject({
      byte_offset: readFileSync(scene.path).indexOf('not json'),
      byte_length: 8,
      line_start: 'not json',
    })
  })

  test('a line cut short and the next one glued to it: the fragment is kept aside, the next one stored', async () => {
    const scene = await setup()
    scene.write()
    scene.split().abandon()
    scene.write(2)
    await scene.poll()

    expect(scene.stored()).toEqual(scene.written)
    expect(scene.bad()).toEqual(['cut_short'])
  })

  test('an object inside a broken line is not taken for a line', async () => {
    const scene = await setup()
    const inner = aLine().text.trim()
    appendFileSync(scene.path, `{"id":"x","toolInput":${inner},"hookEvent":\n`)
    await scene.poll()

    expect(scene.stored()).toEqual([])
    expect(scene.bad()).toEqual(['not_json'])
  })

  test('blank lines, carriage returns and a byte order mark are no mistakes', async () => {
    const scene = await setup()
    const { id, text } = aLine()
    const { id: other, text: second } = aLine()
    writeFileSync(scene.path, `\ufeff${text.trim()}\r\n\r\n   \n\n${second.trim()}\r\n`)
    await scene.poll()

    expect(scene.stored()).toEqual([id, other])
    expect(scene.bad()).toEqual([])
  })

  test('a line longer than the limit is passed over, also while it is still being written', async () => {
    const scene = await setup({ batchBytes: 1_000, maxLineBytes: 5_000 })
    scene.write()
    appendFileSync(scene.path, 'x'.repeat(7_000))
    await scene.poll()
    appendFileSync(scene.path, 'x'.repeat(3_000_000))
    await scene.poll()
    expect(scene.stored()).toEqual(scene.written)
    appendFileSync(scene.path, `${'x'.repeat(10)}\n`)
    scene.write()
    await scene.poll()

    expect(scene.stored()).toEqual(scene.written)
    const bad = scene.database
      .prepare('select byte_length, reason, line_start from lifecycle_bad_lines')
      .all()
    expect(bad).toEqual([{ byte_length: 3_007_010, reason: 'too_long', line_start: '' }])
  })

  test('a line longer than what is read at once is stored whole', async () => {
    const scene = await setup({ batchBytes: 1_000, maxLineBytes: 100_000 })
    const { id, text } = aLine({ prompt: '눈송이 '.repeat(5_000) })
    scene.write()
    appendFileSync(scene.path, text)
    scene.written.push(id)
    scene.write()
    await scene.poll()

    expect(scene.stored()).toEqual(scene.written)
  })

  test('many bad lines among good ones: exactly the good ones are stored', { timeout: 600_000 }, async () => {
    const scene = await setup({ batchBytes: 64 << 10 })
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.replaceAll('\n', ' ')),
      fc.json().map((text) => text.replaceAll('\n', ' ')),
      fc.integer({ min: 1, max: 100 }).map((length) => aLine().text.slice(0, length)),
    )
    const count = process.env['CHAOS'] === 'full' ? 200_000 : 3_000
    const texts = fc.sample(garbage, count).map((text) => {
      const { id, text: good } = aLine()
      scene.written.push(id)
      return `${text.replaceAll('{"id":"', '')}\n${good}`
    })
    appendFileSync(scene.path, texts.join(''))
    const before = process.memoryUsage.rss()
    await scene.poll()

    expect(scene.stored()).toEqual(scene.written)
    // Bounded memory: the read buffer is small, whatever the size of the stream. The growth is the in-memory database.
    expect(process.memoryUsage.rss() - before).toBeLessThan(600 << 20)
  })
})

describe('the tables', () => {
  test('hold what the document says', async () => {
    const scene = await setup()
    const common = { sessionId: 'ses-9', cwd: '/w' }
    const lines = [
      aLine({ ...common, phase: 'started' }),
      aLine({ ...common, eventType: 'turn.start', prompt: 'go', phase: undefined }),
      aLine({
        ...common,
        eventType: 'skill.lifecycle',
        phase: 'in_progress',
        skillName: 'spec',
        triggerCommand: '/spec docs/a.md',
        turnSeq: 42,
        targetDocPath: 'docs/a.md',
      }),
      aLine({ ...common, eventType: 'turn.end', transcriptPath: '/t.jsonl', phase: undefined }),
      aLine({ ...common, eventType: 'agent.lifecycle', phase: 'started' }),
      aLine({ ...common, phase: 'ended' }),
    ]
    appendFileSync(scene.path, lines.map(({ text }) => text).join(''))
    await scene.poll()

    const all = (sql: string) => scene.database.prepare(sql).all()
    expect(
      all('select session_id, provider, phase, project_path, cwd, raw_json from session_lifecycle_events'),
    ).toEqual(
      [lines[0], lines[5]].map((line, index) => ({
        session_id: 'ses-9',
        provider: 'claude',
        phase: index === 0 ? 'started' : 'ended',
        project_path: '/home/dev/project',
        cwd: '/w',
        raw_json: line?.text.trim(),
      })),
    )
    expect(
      all('select skill_name, phase, trigger_command, target_doc_path, turn_seq from skill_lifecycle_events'),
    ).toEqual([
      {
        skill_name: 'spec',
        phase: 'in_progress',
        trigger_command: '/spec docs/a.md',
        target_doc_path: 'docs/a.md',
        turn_seq: 42,
      },
    ])
    expect(all('select phase, prompt, transcript_path from turn_lifecycle_events order by rowid')).toEqual([
      { phase: 'start', prompt: 'go', transcript_path: null },
      { phase: 'end', prompt: null, transcript_path: '/t.jsonl' },
    ])
    expect(all('select event_type, phase from other_lifecycle_events')).toEqual([
      { event_type: 'agent.lifecycle', phase: 'started' },
    ])
    expect(all('select session_id, state from lifecycle_session_states')).toEqual([
      { session_id: 'ses-9', state: 'ended' },
    ])
    expect(all('select skill_name, state from lifecycle_skill_states')).toEqual([
      { skill_name: 'spec', state: 'completed' },
    ])
    expect(
      all(
        'select inode, byte_offset from lifecycle_stream_offsets where stream_key = ?'.replace(
          '?',
          `'${scene.path}'`,
        ),
      ),
    ).toEqual([{ inode: expect.stringMatching(/^\d+$/), byte_offset: readFileSync(scene.path).length }])
  })

  test('events that are new are told once they are stored', async () => {
    const told: string[] = []
    const scene = await setup({ onEvents: (events) => told.push(...events.map(({ id }) => id)) })
    scene.write(3)
    await scene.poll()
    scene.copyTruncate()
    scene.write(1)
    await scene.poll()

    expect(told).toEqual(scene.written)
  })

  test('two consumers of one database do not get into each other’s way', async () => {
    const scene = await setup({ batchBytes: 400 })
    const other = new FileStreamConsumer({
      path: scene.path,
      database: scene.database,
      rotateAtBytes: 0,
      batchBytes: 300,
    })
    onTestFinished(() => other.close())
    for (let round = 0; round < 5; round++) {
      scene.write(10)
      appendFileSync(scene.path, 'bad\n')
      await Promise.all([scene.poll(), other.consume()])
    }

    expect(scene.stored()).toEqual(scene.written)
    expect(scene.bad()).toHaveLength(5)
  })
})

describe('rotation', () => {
  test('the stream is set aside at its limit, and old files go once they are read and quiet', async () => {
    const scene = await setup({ rotateAtBytes: 2_000, keepRotated: 2 })
    const aside = () => readdirSync(scene.folder).filter((name) => name !== 'lifecycle.jsonl')
    for (let round = 0; round < 6; round++) {
      scene.write(10)
      await scene.poll()
    }
    expect(aside()).toHaveLength(6)
    const long = new Date(scene.clock.now() - 3_600_000)
    for (const name of aside()) utimesSync(join(scene.folder, name), long, long)
    scene.clock.advance(60_000)
    scene.write(1)
    await scene.poll()

    expect(aside()).toHaveLength(2)
    expect(scene.stored()).toEqual(scene.written)
  })

  test('a file that was not read to its end stays', async () => {
    const scene = await setup({ keepRotated: 0 })
    scene.write(2)
    await scene.poll()
    appendFileSync(scene.path, 'unfinished')
    const rotated = scene.rotate()
    const long = new Date(scene.clock.now() - 3_600_000)
    utimesSync(rotated?.to ?? '', long, long)
    scene.clock.advance(60_000)
    scene.write(1)
    await scene.poll()

    expect(readdirSync(scene.folder)).toHaveLength(2)
  })

  test('an empty or missing stream is not rotated', async () => {
    const scene = await setup()
    expect(scene.rotate()).toBeNull()
    writeFileSync(scene.path, '')
    expect(scene.rotate()).toBeNull()
  })
})

test('a started consumer stores what is written, without being asked', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'not', 'there', 'lifecycle.jsonl')
  const database = await openDatabase(':memory:')
  const consumer = new FileStreamConsumer({ path, database, pollMs: 20, ownsDatabase: true })
  onTestFinished(() => consumer.close())
  consumer.start()
  const { id, text } = aLine()
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, text)

  await expect.poll(() => idsIn(database), { timeout: 5_000 }).toEqual([id])
})
