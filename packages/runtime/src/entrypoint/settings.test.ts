import { describe, expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';
import { readSettings } from './settings.ts';

const ENV = { SSE_ARCHIVE: '/tmp/sse-archive' };

describe('the command line', () => {
  test('what follows the dashes is the command as it is, also where it looks like ours', () => {
    expect(parseCommandLine(['--mode', 'work', '--', 'run', '--mode', 'grade', '--', ''])).toEqual({
      mode: 'work',
      command: ['run', '--mode', 'grade', '--', ''],
    });
  });

  test.for([
    [['--mode', 'sandbox', '--', 'true'], '--mode must be one of work, grade, same, got "sandbox"'],
    [['--mode'], '--mode must be one of work, grade, same, got ""'],
    [['--', 'true'], 'usage: entrypoint --mode work|grade|same'],
    [['--mode', 'work', '--verbose', '--', 'true'], 'usage: entrypoint'],
    [['--mode', 'same', '--'], 'mode same needs a command: the image has no CMD'],
    [['--mode', 'work', '--', ''], 'mode work needs a command'],
  ] as const)('%o is refused', ([args, message]) => {
    expect(() => parseCommandLine(args)).toThrow(message);
  });
});

describe('the environment', () => {
  const settings = (env: Record<string, string>) =>
    readSettings(parseCommandLine(['--mode', 'work', '--', 'true']), { ...ENV, ...env });

  test('what is not said has its default', () => {
    expect(settings({})).toMatchObject({
      results: '/var/lib/ssebench/results',
      adminSocket: '/run/ssebench/admin.sock',
      agentSocket: '/tmp/sse.sock',
      httpPort: 4263,
      agentTimeout: 3600,
      agentGrace: 10,
      checkTimeout: 1800,
      gradingTimeout: undefined,
      daemonTimeout: 300,
      keepAlive: false,
    });
  });

  test('an archive is needed where an agent runs, and only there', () => {
    expect(() => readSettings({ mode: 'same', command: ['true'] }, {})).toThrow('SSE_ARCHIVE is not set');
    expect(readSettings({ mode: 'grade', command: [] }, {}).archive).toBeUndefined();
  });

  test.for([
    ['TIMEOUT', '0'],
    ['TIMEOUT', ''],
    ['TIMEOUT', '1.5'],
    ['TIMEOUT', '-1'],
    ['TIMEOUT', '3000000'],
    ['SSE_AGENT_GRACE', '10s'],
    ['SSE_CHECK_TIMEOUT', 'x'],
    ['SSE_GRADING_TIMEOUT', '0'],
    ['SSE_HTTP_PORT', '70000'],
    ['SSE_ARCHIVE_MAX_BYTES', '2G'],
    ['SSE_AGENT_ENV', '[1]'],
    ['SSE_AGENT_ENV', '{"A":1}'],
    ['SSE_AGENT_ENV', '{'],
  ] as const)('%s=%o is an error that names it, never ignored', ([name, value]) => {
    expect(() => settings({ [name]: value })).toThrow(new RegExp(`^${name} must be`));
  });

  test('a number of the agent that is none is an error where a container only grades', () => {
    expect(() => readSettings({ mode: 'grade', command: [] }, { AGENT_EXIT_STATUS: 'x' })).toThrow(
      'AGENT_EXIT_STATUS must be',
    );
  });

  test("the agent gets its image's environment, the run's variables over it, and its account; nothing of root's", () => {
    const { agentEnv } = settings({
      SSE_AGENT_ENV: '{"PATH":"/agent/bin","NODE_OPTIONS":"--x","TIMEOUT":"7","HOME":"/root"}',
      TIMEOUT: '60',
      SSE_API_KEY: 'sk',
      SSE_RESULTS: '/secret',
      LD_PRELOAD: 'ours',
    });
    expect(agentEnv).toEqual({
      PATH: '/agent/bin:/opt/ssebench/bin',
      NODE_OPTIONS: '--x',
      TIMEOUT: '60',
      SSE_API_KEY: 'sk',
      SSE_ARCHIVE: '/tmp/sse-archive',
      HOME: expect.stringMatching(/^\//),
      USER: 'model',
      LOGNAME: 'model',
    });
    expect(agentEnv['HOME']).not.toBe('/root');
  });

  test("without a given environment the agent gets the container's, less what is ours", () => {
    expect(settings({ SSE_ADMIN_SOCKET: '/x', OTHER: '1' }).agentEnv).toEqual({
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/ssebench/bin',
      OTHER: '1',
      SSE_ARCHIVE: '/tmp/sse-archive',
      HOME: expect.any(String),
      USER: 'model',
      LOGNAME: 'model',
    });
  });
});
