import { buildBases } from '../../images/build-bases.ts';
import { createProgress } from '../../progress/create-progress.ts';
import { openHost, withEngine } from '../host.ts';
import { imageContext } from '../image-context.ts';
import { print } from '../output.ts';

/** `ssebench images base`. */
export async function imagesBase({ extraCa }: { extraCa?: string }): Promise<number> {
  const host = openHost();
  return withEngine(async (engine) => {
    const progress = createProgress();
    try {
      const { signal } = new AbortController();
      const names = await buildBases(imageContext(host, engine, { progress, signal, extraCa }));
      for (const name of names) print(name);
      return 0;
    } finally {
      progress.close();
    }
  });
}
