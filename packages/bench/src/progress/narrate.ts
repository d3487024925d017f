import type { RunEvent } from '@ssebench/contracts/events';
import { bytes } from '@ssebench/contracts/units';

const CHECK_TITLES = {
  build: 'build',
  poc: 'PoC',
  function_test: 'functional tests',
  intent_test: 'intent tests',
} as const;

const STEP_TITLES: Partial<Record<string, string>> = {
  ending: 'ending the agent phase',
  capture: 'capturing the patch',
  archive: 'archiving the source tree',
};

/** What a person reads about an event: something that goes on, something that ended, or nothing. */
export type Narration = { kind: 'now' | 'ended'; text: string } | undefined;

export function narrate(event: RunEvent): Narration {
  switch (event.type) {
    case 'check_started':
      return { kind: 'now', text: checkTitle(event) };
    case 'check_ended': {
      const outcome = event.outcome === 'check_timeout' ? 'out of time' : event.outcome;
      return { kind: 'ended', text: `${checkTitle(event)} ${outcome} (${duration(event.duration_ms)})` };
    }
    case 'captured':
      return {
        kind: 'ended',
        text: event.patch_bytes === 0 ? 'the agent changed nothing' : `captured a patch of ${bytes(event.patch_bytes)}`,
      };
    case 'strict_ended':
      return { kind: 'ended', text: `strict tree: ${event.status}` };
    case 'fault':
      return { kind: 'ended', text: `${event.fault.code}: ${event.fault.detail}` };
    case 'step_started': {
      const text = STEP_TITLES[event.step];
      return text ? { kind: 'now', text } : undefined;
    }
    case 'step_ended':
      return undefined;
  }
}

/** `9.3 s`, `2 min 05 s`, `1 h 02 min`. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

function checkTitle({
  check,
  poc,
  grading,
  strict,
}: {
  check: keyof typeof CHECK_TITLES;
  poc: string | null;
  grading: boolean;
  strict?: true | undefined;
}): string {
  const title = poc === null ? CHECK_TITLES[check] : `${CHECK_TITLES[check]} ${poc.split('/').at(-1)}`;
  if (strict) return `strict tree: ${title}`;
  return grading ? title : `test_patch: ${title}`;
}
