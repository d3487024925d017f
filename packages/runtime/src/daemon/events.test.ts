import { get } from 'node:http';
import type { RunEvent } from '@ssebench/contracts/events';
import { describe, expect, test } from 'vitest';
import { IS_ROOT, TestDaemon } from './test-daemon.ts';

describe.runIf(IS_ROOT)('the event stream', () => {
  test('a reader gets all events from the start and then each as it comes, until the daemon stops', async () => {
    await using daemon = await TestDaemon.start({ given: '' });
    const step: RunEvent = { type: 'step_started', at: '2026-01-02T03:04:05.678Z', step: 'grading' };
    expect((await daemon.admin('/admin/events', step)).json).toEqual({ success: true });
    await daemon.admin('/prepare_grading', {});
    await daemon.graded('build');

    const reader = new EventReader(daemon.config.listeners.hostSocket ?? '');
    const [first, started, ended] = await reader.take(3);
    expect(first).toEqual(step);
    expect(started).toMatchObject({ type: 'check_started', check: 'build', poc: null, grading: true });
    expect(ended).toMatchObject({
      type: 'check_ended',
      check: 'build',
      outcome: 'passed',
      log: expect.stringMatching(/\.log$/),
    });

    await daemon.graded('intent_test');
    const live = await reader.take(2);
    expect(live.map(({ type }) => type)).toEqual(['check_started', 'check_ended']);
    expect(live[1]).toMatchObject({ check: 'intent_test', outcome: 'failed' });
    await daemon.stop();
    await reader.ended;
  });

  test('a reader that lost its connection goes on where it was', async () => {
    await using daemon = await TestDaemon.start({ given: '' });
    await daemon.graded('build');
    const reader = new EventReader(daemon.config.listeners.adminSocket ?? '', '1');
    expect(await reader.take(1)).toMatchObject([{ type: 'check_ended' }]);
  });
});

class EventReader {
  readonly ended: Promise<void>;
  #events: RunEvent[] = [];
  #text = '';

  constructor(socketPath: string, lastEventId = '0') {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    get({ socketPath, path: '/events', agent: false, headers: { 'last-event-id': lastEventId } }, (response) => {
      response.setEncoding('utf8').on('data', (text: string) => this.#read(text));
      response.once('end', resolve);
    });
  }

  async take(count: number): Promise<RunEvent[]> {
    await expect.poll(() => this.#events.length).toBeGreaterThanOrEqual(count);
    return this.#events.splice(0, count);
  }

  #read(text: string): void {
    this.#text += text;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    const data = blocks.flatMap((block) => /^data: (.*)$/m.exec(block)?.[1] ?? []);
    this.#events.push(...data.map((json) => JSON.parse(json) as RunEvent));
  }
}
