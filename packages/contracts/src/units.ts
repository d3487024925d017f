/** `512 bytes`, `3.4 KiB`, `1.2 GiB`. */
export function bytes(count: number): string {
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  if (count < 1024) return `${count} bytes`;
  const power = Math.min(Math.floor(Math.log2(count) / 10), units.length);
  return `${(count / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}
