import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

/** `nobody` and `daemon` are in every Linux system's account file. */
const ENV = { SSE_RUNNER_USER: 'nobody', SSE_AGENT_USER: 'daemon' };

function refusal(env: NodeJS.ProcessEnv): { message: string; exitCode: number } {
  try {
    readConfig({ ...ENV, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return { message: error.message, exitCode: error.exitCode };
    throw error;
  }
  throw new Error('it was accepted');
}

test('without variables the places are those of the container, and no listener is bound', () => {
  expect(readConfig(ENV)).toMatchObject({
    taskDir: '/ssebench',
    repo: '/ssebench-repo',
    results: '/var/lib/ssebench/results',
    difficulty: 2,
    listeners: { agentSocket: undefined, httpPort: undefined, adminSocket: undefined, hostSocket: undefined },
    checkTimeoutMs: 1_800_000,
    patchIsGiven: false,
    scriptEnv: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  });
});

test('the variables say which listeners there are, and what is graded', () => {
  const env = { SSE_DAEMON_SOCKET: '/tmp/a', SSE_HTTP_PORT: '4263', SSE_HOST_SOCKET: '/tmp/h', SSE_CAPTURE: 'given' };
  expect(readConfig({ ...ENV, ...env })).toMatchObject({
    listeners: { agentSocket: '/tmp/a', httpPort: 4263, hostSocket: '/tmp/h' },
    patchIsGiven: true,
  });
});

test('an agent user that the image does not have is uid 1000', () => {
  expect(readConfig({ ...ENV, SSE_AGENT_USER: 'nobody-of-that-name' }).agent).toMatchObject({ uid: 1000, gid: 1000 });
});

test('a value that is none is refused with its name; a level with status 2', () => {
  expect(refusal({ SSE_DIFFICULTY: '5' })).toMatchObject({ exitCode: 2, message: expect.stringContaining('"5"') });
  expect(refusal({ SSE_DIFFICULTY: '' })).toMatchObject({ exitCode: 2 });
  expect(refusal({ SSE_CHECK_TIMEOUT: 'soon' })).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('SSE_CHECK_TIMEOUT'),
  });
  expect(refusal({ SSE_HTTP_PORT: '70000' }).message).toContain('SSE_HTTP_PORT');
});

test('scripts never run as root, as the agent, or as a user that is not there', () => {
  expect(refusal({ SSE_RUNNER_USER: 'root' }).message).toContain('root');
  expect(refusal({ SSE_AGENT_USER: 'root' }).message).toContain('root');
  expect(refusal({ SSE_AGENT_USER: 'nobody' }).message).toContain('same user');
  expect(refusal({ SSE_RUNNER_USER: 'nobody-of-that-name' }).message).toContain('no user nobody-of-that-name');
});
