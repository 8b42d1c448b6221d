import { expect, test } from 'vitest'
import { aProgram } from '../../test/support/program.js'
import { commandGroups } from './program.js'

const namesOf = (called?: string) => aProgram(called).commands.map((command) => command.name())

test('each group adds the commands that it names', () => {
  expect(namesOf()).toEqual(commandGroups.flatMap(({ names }) => names))
})

test('a command is made alone, without the others', () => {
  for (const { names } of commandGroups) {
    for (const name of names) {
      if (name === 'completion') continue
      expect(namesOf(name), name).toEqual([name])
    }
  }
})

test('help, completion and an unknown command get the list of all commands', () => {
  for (const word of ['--help', 'help', 'completion', 'sesions']) expect(namesOf(word)).toEqual(namesOf())
})
