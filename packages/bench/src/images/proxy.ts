const NAMES = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy', 'ftp_proxy'] as const;

/**
 * The proxy settings of an environment as build arguments, in both spellings, since programs differ in which they read.
 * Engines know these names: they reach each step, stay out of the image and don't count for the cache.
 */
export function proxyArgs(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const args: Record<string, string> = {};
  for (const name of NAMES) {
    const value = env[name] || env[name.toUpperCase()];
    if (!value) continue;
    args[name] = value;
    args[name.toUpperCase()] = value;
  }
  return args;
}
