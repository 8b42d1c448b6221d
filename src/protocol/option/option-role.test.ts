import { expect, test } from 'vitest'
import { authorisedPart, changeOptions, givenOptions, replaceServers } from './option-role.js'
import { isReservedVariable, refusedVariables } from './variable.js'

const server = { command: 'sh' }

test('options of an unknown origin keep what an operator may set, and nothing else', () => {
  const stored = {
    options: { maxTurns: 3, mcpServers: { x: server }, env: { A: '1' }, plugins: [], sandbox: {} },
    givenBy: {},
  }
  const { kept, refused } = authorisedPart(stored)
  expect(kept.options).toEqual({ maxTurns: 3 })
  expect(refused).toEqual(['mcpServers', 'env', 'plugins', 'sandbox'])
})

test('what an admin gave stays, also after a change by an operator', () => {
  const before = givenOptions({ mcpServers: { x: server } }, 'admin')
  const after = changeOptions(before, { effort: 'high' }, 'operator')
  expect(authorisedPart(after)).toEqual({
    kept: {
      options: { mcpServers: { x: server }, effort: 'high' },
      givenBy: { mcpServers: 'admin', effort: 'operator' },
    },
    refused: [],
  })
})

test('what was never authorised is not authorised by an admin who adds to it', () => {
  const before = { options: { mcpServers: { evil: server } }, givenBy: {} }
  const after = changeOptions(before, { mcpServers: { good: server } }, 'admin')
  expect(after.options).toEqual({ mcpServers: { good: server } })
  const variables = changeOptions(givenOptions({ env: { A: '1' } }, 'operator'), { env: { B: '2' } }, 'owner')
  expect(variables.givenBy).toEqual({ env: 'operator' })
})

test('only an admin lifts what was disallowed', () => {
  const before = givenOptions({ disallowedTools: ['Bash'] }, 'admin')
  expect(changeOptions(before, { disallowedTools: [] }, 'operator').options.disallowedTools).toEqual(['Bash'])
  expect(changeOptions(before, { disallowedTools: [] }, 'admin').options.disallowedTools).toEqual([])
})

test('servers are replaced as a whole', () => {
  const before = givenOptions({ mcpServers: { x: server }, effort: 'low' }, 'admin')
  const after = replaceServers(before, { mcpServers: {}, configuredServers: ['kit'] }, 'operator')
  expect(after).toEqual({
    options: { effort: 'low', configuredServers: ['kit'] },
    givenBy: { effort: 'admin', configuredServers: 'operator' },
  })
})

test.each(
  `ANTHROPIC_BASE_URL ANTHROPIC_API_KEY CLAUDE_CONFIG_DIR CLAUDE_CODE_SHELL HTTPS_PROXY http_proxy no_proxy PATH Path
  LD_PRELOAD DYLD_INSERT_LIBRARIES BASH_ENV BASH_FUNC_ls ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS GIT_DIR GIT_SSH_COMMAND
  PYTHONPATH PYTHONSTARTUP PERL5LIB PERL5OPT SHELL HOME SSH_AUTH_SOCK RUBYOPT LUA_INIT JAVA_TOOL_OPTIONS _JAVA_OPTIONS
  GOFLAGS RUSTC_WRAPPER CARGO_HOME NPM_CONFIG_PREFIX npm_config_registry EDITOR PAGER GIT_PAGER AWS_PROFILE PS4
  PROMPT_COMMAND SIGNALBOX_HOME SSL_CERT_FILE SSLKEYLOGFILE ENABLE_TOOL_SEARCH ZDOTDIR KUBECONFIG`.split(
    /\s+/,
  ),
)('the variable %s is reserved, however it is written', (name) => {
  expect(isReservedVariable(name)).toBe(true)
  expect(isReservedVariable(name.toLowerCase())).toBe(true)
  expect(refusedVariables([name], [name])).toEqual([name])
})

test('a variable that the home lists can be given; one that is no name cannot', () => {
  expect(
    refusedVariables(['GREETING', 'TICKET_ID', 'NODE_ENV'], ['GREETING', 'TICKET_ID', 'NODE_ENV']),
  ).toEqual([])
  expect(refusedVariables(['GREETING'], [])).toEqual(['GREETING'])
  expect(refusedVariables(['A=B', 'A\nB', ''], ['A=B', 'A\nB', ''])).toEqual(['A=B', 'A\nB', ''])
})
