/** The workspace and the script behind the pictures: what a working day looks like. */

export const FILES = {
  // As much of a repository as it takes to have a branch.
  '.git/HEAD': 'ref: refs/heads/fix/checkout\n',
  'package.json': '{ "name": "garden", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/basket.js': `export function total(items) {
  let sum = 0
  for (const item of items) {
    sum += item.price * item.count
  }
  return sum
}

export function isEmpty(items) {
  return items.length == 0
}
`,
  'test/basket.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { total } from '../src/basket.js'

test('a basket adds up', () => {
  assert.equal(total([{ price: 2, count: 3 }]), 6)
})
`,
}

export const PROMPTS = {
  done: { prompt: 'Translate the greeting into Korean', title: 'Translate the greeting' },
  idle: { prompt: 'Explain how the basket is priced' },
  research: { prompt: 'Compare our checkout with three others', title: 'Compare checkouts', waits: true },
  question: { prompt: 'Choose where the orders should live', waits: true },
  plan: {
    prompt: 'Plan the move to the new payment service',
    plan: '## Move to the new payment service\n\n1. Put both services behind one `Payment` port\n2. Send **one in a hundred** payments to the new one\n3. Compare what both say for a week\n4. Switch, and keep the old one for a month\n\n> Nothing is deleted before step 4 has held for a month.',
    waits: true,
  },
  checkout: {
    prompt: 'The checkout test is flaky. Find out why and fix it.',
    title: 'Fix the flaky checkout test',
    allow: ['Bash', 'Edit'],
    waits: true,
  },
  talk: { prompt: 'Write the release notes for this week' },
}

const said = (id, input, output) => ({
  type: 'assistant',
  gitBranch: 'main',
  message: {
    id,
    model: 'claude-opus-5-5',
    usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: 31_000 },
    content: [],
  },
})

/** Two terminals, as Claude Code reports them to our hook. */
export const TERMINALS = [
  {
    id: '7f2b6c1e-0a5d-4e8f-9b3c-2d1a4f6e8c90',
    transcript: [said('m1', 900, 410), said('m2', 1_200, 860)],
    events: [
      {
        hook_event_name: 'SessionStart',
        source: 'startup',
        model: 'claude-opus-5-5',
        session_title: 'Upgrade the test runner',
      },
      { hook_event_name: 'UserPromptSubmit', prompt: 'Upgrade the test runner and fix what breaks' },
      { hook_event_name: 'PreToolUse', tool_name: 'Skill', tool_input: { skill: 'upgrade', args: 'vitest' } },
    ],
  },
  {
    id: '1c9e4a70-63d2-4b1f-8a57-e05b7d2f9c31',
    transcript: [said('m1', 500, 220)],
    events: [
      { hook_event_name: 'SessionStart', source: 'startup', session_title: 'Review the pull request' },
      { hook_event_name: 'UserPromptSubmit', prompt: 'Review the pull request of the basket' },
      { hook_event_name: 'PreToolUse', tool_name: 'Skill', tool_input: { skill: 'review', args: '42' } },
      { hook_event_name: 'PostToolUse', tool_name: 'Skill', tool_input: { skill: 'review', args: '42' } },
      { hook_event_name: 'Stop', last_assistant_message: 'Two remarks, both small.' },
    ],
  },
]

const NOTES =
  'Here are the notes for the week.\n\n## New\n\n- Baskets keep their items over a restart\n- Prices are shown with tax, as the law in more and more countries wants it\n\n## Fixed\n\n- A basket with free items no longer counts twice\n\n'

export function pictureScript(cwd) {
  return {
    name: 'pictures',
    defaults: { chunk: 40, delayMs: 1, usage: { input_tokens: 12_400, output_tokens: 640 } },
    rules: [
      {
        when: { agent: '/You are the scout/', toolResult: '*' },
        reply: [{ text: 'Four steps, no guest checkout.' }],
      },
      {
        when: { agent: '/You are the scout/' },
        reply: [
          { text: 'I look at how they do it.' },
          { tool: 'Bash', input: { command: 'ls src', description: 'List the source files' } },
        ],
      },
      {
        when: { user: '/Compare our checkout/' },
        reply: [
          { text: 'I send three scouts, one for each.' },
          scout('Look at the first shop'),
          scout('Look at the second shop'),
          scout('Look at the third shop'),
        ],
      },
      {
        when: { toolResult: 'Agent' },
        reply: [
          { text: 'They agree: fewer steps win. I keep what they found.' },
          {
            tool: 'Write',
            input: {
              file_path: `${cwd}/docs/checkout.md`,
              content: '# Checkouts compared\n\n| shop | steps |\n|---|---|\n| ours | 6 |\n| first | 4 |\n',
            },
            chunk: 400,
          },
        ],
      },
      {
        when: { user: '/Choose where/' },
        reply: [
          { thinking: 'Both would do. It depends on who will run it.' },
          {
            tool: 'AskUserQuestion',
            input: {
              questions: [
                {
                  question: 'Where should the orders live?',
                  header: 'Storage',
                  multiSelect: false,
                  options: [
                    { label: 'SQLite', description: 'One file beside the program, nothing to run' },
                    { label: 'PostgreSQL', description: 'A server, for several machines' },
                  ],
                },
              ],
            },
            chunk: 400,
          },
        ],
      },
      {
        when: { user: '/Plan the move/' },
        reply: [
          { thinking: 'Two services side by side for a while is the safe way.' },
          { tool: 'EnterPlanMode', input: {} },
        ],
      },
      {
        when: { toolResult: 'EnterPlanMode' },
        reply: [{ tool: 'Write', input: { file_path: `${cwd}/plan.md`, content: 'The plan' }, chunk: 400 }],
      },
      { when: { toolResult: 'Write' }, reply: [{ tool: 'ExitPlanMode', input: {} }] },
      {
        when: { user: '/checkout test is flaky/' },
        reply: [
          { thinking: 'First I need to see it fail. The test runner of Node tells enough.' },
          { text: 'I run the tests first, to see what fails.' },
          { tool: 'Bash', input: { command: 'node --test', description: 'Run the tests' } },
        ],
      },
      {
        when: { toolResult: 'Bash' },
        reply: [
          {
            text: 'The test passes alone. What makes it flaky is `isEmpty`: it compares with `==`, so a basket that is still **loading** counts as empty.\n\nI change these two places:',
          },
          {
            tool: 'Edit',
            input: {
              file_path: `${cwd}/src/basket.js`,
              old_string:
                '  let sum = 0\n  for (const item of items) {\n    sum += item.price * item.count\n  }\n  return sum\n',
              new_string: '  return items.reduce((sum, item) => sum + item.price * item.count, 0)\n',
            },
            chunk: 600,
          },
        ],
      },
      {
        when: { toolResult: 'Edit' },
        reply: [
          { text: 'Done. Shall I push it, so that the pipeline runs?' },
          {
            tool: 'Bash',
            input: {
              command: 'git commit -am "Count a basket once" && git push origin main',
              description: 'Commit and push',
            },
          },
        ],
      },
      {
        when: { user: '/Explain how/' },
        reply: [{ text: 'Each item counts its price times how many there are; `total` adds them up.' }],
      },
      { when: { user: '/release notes/' }, reply: [{ text: NOTES.repeat(40), chunk: 4, delayMs: 60 }] },
      { reply: [{ text: '안녕하세요!' }] },
    ],
  }
}

function scout(description) {
  return {
    tool: 'Agent',
    input: {
      description,
      prompt: `You are the scout. ${description} and count the steps of its checkout.`,
      subagent_type: 'general-purpose',
      run_in_background: false,
    },
    chunk: 600,
  }
}
