import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

/** `npm run bench -- NAME [ARGUMENT…]`: runs `tests/bench/NAME.ts`, whose last line is one JSON object of figures. */
const FOLDER = 'tests/bench';

const [name, ...rest] = process.argv.slice(2);
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.ts'.length));

if (name !== undefined && names.includes(name)) {
  const child = spawn(process.execPath, [...process.execArgv, `${FOLDER}/${name}.ts`, ...rest], { stdio: 'inherit' });
  const [status] = await once(child, 'close');
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(
    `npm run bench -- NAME: ${name ?? '(none)'} is not a benchmark; there are: ${names.join(', ')}\n`,
  );
  process.exitCode = 2;
}
