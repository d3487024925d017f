import manifest from '../../package.json' with { type: 'json' };

/** The runtime's version; the bundle holds it. */
export const VERSION: string = manifest.version;
