/**
 * Preloaded (`node --import`) into a command under test: its clock of the day jumps by `JUMP_MS` milliseconds, `JUMP_AFTER`
 * milliseconds after its start.
 */
const { JUMP_MS = '0', JUMP_AFTER = '0' } = process.env;
const RealDate = Date;
const start = performance.now();

const now = (): number => RealDate.now() + (performance.now() - start > Number(JUMP_AFTER) ? Number(JUMP_MS) : 0);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
