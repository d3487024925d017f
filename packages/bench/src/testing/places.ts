/** Of so many in `npm run check`, which is repeated all day: one. `./test` has all of them. */
const QUICK_STEP = 5;

/** The places, counted from 1, at which something is disturbed that has `count` of them. */
export function* places(count: () => number | undefined): Generator<number> {
  const step = process.env['SSEBENCH_TEST_QUICK'] === '1' ? QUICK_STEP : 1;
  for (let at = 1; at <= (count() ?? Number.POSITIVE_INFINITY); at += step) yield at;
}
