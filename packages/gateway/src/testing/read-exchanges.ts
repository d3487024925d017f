import type { RecordedExchange } from '@ssebench/contracts/model-calls';
import { RecordingReader } from '../recording/read-recording.ts';
import { bytesOf } from '../recording/secrets.ts';

/** An exchange of a recording, its bodies put together. */
interface WholeExchange extends RecordedExchange {
  readonly requestBody: Buffer;
  readonly answerBody: Buffer;
}

/** All exchanges of a recording, in the order in which they ended. */
export async function readExchanges(path: string): Promise<WholeExchange[]> {
  await using reader = await RecordingReader.open(path);
  const parts: Record<string, Buffer[]> = {};
  const take = (name: string, bytes: Buffer) => {
    parts[name] = [...(parts[name] ?? []), bytes];
    return Buffer.concat(parts[name]);
  };
  const exchanges: WholeExchange[] = [];
  for await (const { line } of reader.lines()) {
    if (line.kind === 'part') take(`${line.of} ${line.exchange}`, bytesOf(line.body));
    else
      exchanges.push({
        ...line,
        requestBody: take(`request ${line.exchange}`, bytesOf(line.request.body)),
        answerBody: take(`answer ${line.exchange}`, bytesOf(line.answer.body)),
      });
  }
  return exchanges;
}
