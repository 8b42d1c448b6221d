/** The default script of the scripted model: enough to try everything without an account. */

import type { ScriptInput } from './script.js'

export const demoScript: ScriptInput = {
  name: 'demo',
  defaults: { chunk: 6, delayMs: 12, usage: { input_tokens: 1_200, output_tokens: 120 } },
  rules: [
    {
      when: { toolResult: '*', isError: true },
      reply: [{ text: 'All right, I leave that. What came back was:\n\n> {{toolResult}}' }],
    },
    {
      when: { toolResult: 'Write' },
      reply: [{ text: 'Done: the file is in your workspace. Ask me to **run a command** next.' }],
    },
    { when: { toolResult: 'Bash' }, reply: [{ text: 'The command says:\n\n```\n{{toolResult}}\n```' }] },
    {
      when: { agent: '/You are a signalman/' },
      reply: [{ text: 'The line is clear.', delayMs: 40 }],
    },
    { when: { toolResult: 'Agent' }, reply: [{ text: 'My signalmen report:\n\n> {{toolResult}}' }] },
    {
      when: { toolResult: 'Skill' },
      reply: [{ text: 'The timetable is read: the **night train** leaves at 23:10.' }],
    },
    { when: { toolResult: 'AskUserQuestion' }, reply: [{ text: 'Good choice. {{toolResult}}' }] },
    { when: { toolResult: '*' }, reply: [{ text: 'That worked: {{toolResult}}' }] },
    {
      when: { user: '/\\b(ask|question|choose|which)\\b/i' },
      reply: [
        { thinking: 'There is more than one way to do this, so I should ask.' },
        {
          tool: 'AskUserQuestion',
          input: {
            questions: [
              {
                question: 'Where should the data live?',
                header: 'Storage',
                multiSelect: false,
                options: [
                  { label: 'SQLite', description: 'One file, nothing to run' },
                  { label: 'PostgreSQL', description: 'A server, for many machines' },
                ],
              },
            ],
          },
        },
      ],
    },
    {
      when: { user: '/\\b(agents?|signalm[ae]n|delegate)\\b/i' },
      reply: [
        { text: 'I send two signalmen along the line.' },
        ...['north', 'south'].map((side) => ({
          tool: 'Agent',
          input: {
            description: `Look at the ${side}ern line`,
            prompt: `You are a signalman. Look at the ${side}ern line.`,
            subagent_type: 'general-purpose',
            run_in_background: false,
          },
        })),
      ],
    },
    {
      when: { user: '/\\b(skill|timetable)\\b/i' },
      reply: [{ text: 'There is a skill for that.' }, { tool: 'Skill', input: { skill: 'timetable' } }],
    },
    {
      when: { user: '/\\b(run|command|list|test|look)\\b/i' },
      reply: [
        { text: 'I will note in the workspace when I was here. May I?' },
        { tool: 'Bash', input: { command: 'date > visited.txt && cat visited.txt' } },
      ],
    },
    {
      when: { user: '/\\b(write|file|create|haiku|poem)\\b/i' },
      reply: [
        { thinking: 'A short poem about signals would fit. I put it into haiku.txt.' },
        { text: 'I have something in mind. May I write it down?' },
        {
          tool: 'Write',
          input: {
            file_path: '{{cwd}}/haiku.txt',
            content: 'Lamps along the line\none hand on every lever\nthe night train is through\n',
          },
        },
      ],
    },
    {
      reply: [
        {
          text: 'I am the **scripted model**: Signalbox found no account, so a script answers instead of Claude. The session, the tools and the permissions are real.\n\nTry one of these:\n\n- *write a haiku* asks for a permission\n- *run a command* asks for another\n- *ask me a question* waits for your choice\n- *send the signalmen* starts subagents',
        },
      ],
    },
  ],
}
