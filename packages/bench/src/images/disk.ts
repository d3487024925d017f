/** What an image adds to what it stands on, roughly: measured with the images of this version. Bytes. */
const MB = 1024 * 1024;
const SIZES = {
  debian: 80 * MB,
  root: 100 * MB,
  'base generic-c': 740 * MB,
  'base generic-go': 400 * MB,
  'base generic-rust': 640 * MB,
  /** One that we know nothing about. */
  base: 640 * MB,
  /** The image and the volume. */
  runtime: 2 * 130 * MB,
  case: 50 * MB,
  work: 50 * MB,
  tool: 50 * MB,
  /** With the image that it is built on, and the volume. */
  program: 700 * MB,
  agent: 20 * MB,
} as const;

/** What is to be built, by the names above; a base by `base <name>`. */
export type PlannedImage = keyof typeof SIZES | `base ${string}`;

/** How much disk building these will take on the engine's machine, roughly, in bytes. */
export function diskNeeded(plan: readonly PlannedImage[]): number {
  const sizes: Readonly<Record<string, number>> = SIZES;
  return plan.reduce((sum, name) => sum + (sizes[name] ?? SIZES.base), 0);
}

/** `will take about 1.4 GB of disk`; undefined when it is too little to say. */
export function diskNotice(plan: readonly PlannedImage[]): string | undefined {
  const needed = diskNeeded(plan);
  if (needed < 100 * MB) return undefined;
  const shown =
    needed < 1000 * MB ? `${Math.round(needed / MB / 10) * 10} MB` : `${(needed / MB / 1000).toFixed(1)} GB`;
  return `building ${plan.join(', ')}: will take about ${shown} of the engine's disk`;
}
