import type { ReplayDifference, ReplayState } from '@ssebench/contracts/model-calls';

/** How a replay went, in one line. */
export function replayText({ of, served, first_difference: difference }: ReplayState): string {
  const came = `${served} of ${of} calls as they were recorded`;
  return difference === null ? came : `${came}; ${differenceText(difference)}`;
}

/** What differed first, in one line. */
export function differenceText({ exchange, path, field, recorded, found }: ReplayDifference): string {
  if (exchange === null) return `${path} was called more often than in the recording`;
  return `call ${exchange} differs at ${field === '' ? 'its body' : field}: recorded is ${recorded}, and now it is ${found}`;
}
