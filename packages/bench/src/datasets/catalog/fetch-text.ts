import { UserError } from '../../cli/errors.ts';

/** What a person waits for a catalog at the most, all redirects together; milliseconds. Source: spec/host §3.3. */
const TIME_LIMIT = 30_000;
/** Manifests of hundreds of tasks are smaller. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_REDIRECTS = 5;

/** Smaller limits, for tests. */
export interface FetchLimits {
  timeMs?: number;
  bytes?: number;
}

/**
 * The text at a web address. Redirects are followed a few times, never from https to http.
 * @throws UserError that names the address and what is wrong
 */
export async function fetchText(
  address: string,
  { timeMs = TIME_LIMIT, bytes = MAX_BYTES }: FetchLimits = {},
): Promise<string> {
  const start = URL.parse(address);
  if (!start) throw new UserError(`${address}: is no web address`);
  const signal = AbortSignal.timeout(timeMs);
  let url = start;
  try {
    for (let hops = 0; ; hops++) {
      const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'application/json' } });
      const target = redirectOf(response, url, address);
      if (target === undefined) return await textOf(response, address, bytes);
      if (hops === MAX_REDIRECTS) throw new UserError(`${address}: redirects more than ${MAX_REDIRECTS} times`);
      await response.body?.cancel();
      url = target;
    }
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    if (signal.aborted) throw new UserError(`${address}: no whole answer within ${timeMs / 1000} s`, 1, { cause });
    throw new UserError(`${address}: ${networkProblem(cause)}`, 1, { cause });
  }
}

function redirectOf(response: Response, url: URL, address: string): URL | undefined {
  if (response.status < 300 || response.status > 399 || response.status === 304) return undefined;
  const location = response.headers.get('location');
  const target = location === null ? null : URL.parse(location, url.href);
  if (!target) throw new UserError(`${address}: answered ${response.status} without an address to go to`);
  const isWeb = target.protocol === 'https:' || target.protocol === 'http:';
  if (!isWeb || (url.protocol === 'https:' && target.protocol === 'http:')) {
    throw new UserError(`${address}: leads to ${target.protocol}//, which is not followed`);
  }
  return target;
}

async function textOf(response: Response, address: string, most: number): Promise<string> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new UserError(`${address}: answered ${`${response.status} ${response.statusText}`.trim()}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) throw new UserError(`${address}: is larger than ${Math.floor(most / 2 ** 20)} MiB`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new UserError(`${address}: is not UTF-8 text`, 1, { cause });
  }
}

/** The innermost cause: what `fetch` itself says is only that it failed. */
function networkProblem(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  const { code, message } = inner as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return "its host's name is not known";
  if (code === 'ECONNREFUSED') return 'nobody answers there (connection refused)';
  return `can't be read: ${message}`;
}
