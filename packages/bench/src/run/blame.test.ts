import { FAULT_CODES, fault } from '@ssebench/contracts/faults';
import { expect, test } from 'vitest';
import { blamed } from './blame.ts';

const UNTOUCHED = undefined;

test('nothing that the work container says of itself is blamed on the machinery', () => {
  for (const code of FAULT_CODES) {
    const { blame, retryable } = blamed(fault(code, 'x'), 'work', UNTOUCHED);
    expect({ code, blame }).not.toEqual({ code, blame: 'infra' });
    if (blame === 'agent') expect({ code, retryable }).toEqual({ code, retryable: false });
  }
});

test('a grade container is believed as long as none of the patched code ran', () => {
  expect(blamed(fault('start_failed', 'x'), 'grade', UNTOUCHED)).toMatchObject({ blame: 'infra', retryable: true });
  for (const code of ['grading_failed', 'runner_unavailable', 'grading_timeout', 'no_result'] as const)
    expect(blamed(fault(code, 'x'), 'grade', UNTOUCHED)).toMatchObject({ code, blame: 'agent', retryable: false });
});

test('what the host found out for itself stands', () => {
  for (const code of ['engine_unreachable', 'container_lost', 'image_missing'] as const)
    expect(blamed(fault(code, 'x'), 'host', UNTOUCHED)).toEqual(fault(code, 'x'));
});

test("a full disk is the machinery's fault, unless the run's own files fill it", () => {
  const cause = fault('service_lost', 'the daemon is gone', { phase: 'capture' });
  const full = { code: 'results_unwritable', phase: 'capture' };
  expect(blamed(cause, 'work', { own: false })).toMatchObject({ ...full, blame: 'infra', retryable: true });
  expect(blamed(cause, 'work', { own: true })).toMatchObject({ ...full, blame: 'agent', retryable: false });
});

test('who is to blame stays so where it is not the machinery', () => {
  for (const teller of ['work', 'grade', 'host'] as const)
    for (const code of ['no_check_ran', 'interrupted', 'patch_too_large'] as const)
      expect(blamed(fault(code, 'x'), teller, UNTOUCHED)).toEqual(fault(code, 'x'));
});
