import type { Settings } from '../config/settings.ts';
import { GatewayError } from './model-gateway.ts';

/** Address of a LiteLLM that runs already. */
export const BASE_URL = 'LITELLM_BASE_URL';
export const MASTER_KEY = 'LITELLM_MASTER_KEY';

const PORT = 4000;
const LOOPBACK = '127.0.0.1';
const EVERYWHERE = ['0.0.0.0', '::', '[::]'];

/** Where LiteLLM is, and the key that may make keys there. */
export interface LiteLlmAddress {
  /** Without a final slash and without `/v1`. */
  baseUrl: string;
  /** In no message and no command line. */
  masterKey: string;
}

/** That of `LITELLM_BASE_URL`, else of the stack that `ssebench proxy up` starts. @throws GatewayError */
export function liteLlmAddress(settings: Settings): LiteLlmAddress {
  const masterKey = settings.get(MASTER_KEY);
  if (masterKey === undefined)
    throw new GatewayError(
      `${MASTER_KEY} is not set: put the key that LiteLLM was started with into .env; "ssebench proxy up" makes one`,
    );
  if (!/^[\x21-\x7e]+$/.test(masterKey))
    throw new GatewayError(`${MASTER_KEY} has characters that no key has: blanks, or others than ASCII`);
  return { baseUrl: baseUrl(settings.get(BASE_URL)) ?? stackUrl(settings), masterKey };
}

/** Of the Compose stack, as programs of this machine reach it. @throws GatewayError */
export function stackUrl(settings: Settings): string {
  const { bind, port } = stackListens(settings);
  return `http://${EVERYWHERE.includes(bind) ? LOOPBACK : bind}:${port}`;
}

/** Where the Compose stack's LiteLLM listens on this machine. Source: spec/host §7.2. @throws GatewayError */
export function stackListens(settings: Settings): { bind: string; port: number } {
  const text = settings.get('LITELLM_PORT') ?? String(PORT);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65535)
    throw new GatewayError(`LITELLM_PORT: "${text}" is no port: a number from 1 to 65535`);
  return { bind: settings.get('LITELLM_BIND') ?? LOOPBACK, port };
}

function baseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new GatewayError(
      `${BASE_URL}: must be the http or https address of a LiteLLM, such as http://localhost:4000`,
    );
  if (url.username !== '' || url.password !== '')
    throw new GatewayError(`${BASE_URL}: must hold no user and no password; the key belongs into ${MASTER_KEY}`);
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, '');
}
