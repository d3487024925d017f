import { DaemonClient } from '@ssebench/sdk/daemon/daemon-client';
import { DialogWriter } from '@ssebench/sdk/dialog/dialog-writer';
import { contextWindow } from '@ssebench/sdk/model/context-window';
import { buildPrompt } from '@ssebench/sdk/prompt/build-prompt';
import { type Answer, ConversationTooLong, type Item, Model } from './model.ts';
import { perform, TOOLS } from './tools.ts';

/**
 * A minimal agent: it asks the model, does what the model wants done, and asks again with the result, until the model wants
 * nothing more. Two tools: a shell and `test_patch`. No plan, no memory, no roles, no hints about the task: what a run
 * shows is what the model can do, so that models can be compared.
 */
const INSTRUCTIONS = `You work alone: nobody reads along, and nobody answers questions. You are in the source tree, in a \
container without a network. You work with the tools that you are given. "sse limits" in the shell says how much time and \
money are left. Your work is over with your first answer that calls no tool.`;

/** From this many tokens on room is made in the conversation; sooner for a model that reads little more. */
const LONGEST = 150_000;
const OF_WINDOW = 0.75;
/** The tools' outputs that stay in the conversation in any case. */
const KEPT_OUTPUTS = 4;
const NOTE = '[This output was taken out of the conversation to make room. Run the command again if you need it.]';
const CUT = 'Your answer was cut at its length limit. Go on.';

const daemon = new DaemonClient();
const task = await daemon.project();
daemon.close();
const prompt = buildPrompt(task);
const model = new Model(INSTRUCTIONS, TOOLS);
const longest = Math.min(LONGEST, OF_WINDOW * ((await contextWindow()) ?? Number.POSITIVE_INFINITY));
const dialog = new DialogWriter();
dialog.write({ type: 'init', data: { task: task.id, cwd: process.cwd(), model: model.name, agent: 'mini' } });
dialog.write({ type: 'prompt', content: prompt });

const stop = new AbortController();
process.on('SIGTERM', () => stop.abort(new Error('the time is up')));
try {
  await work([{ type: 'message', role: 'user', content: prompt }]);
  dialog.write({ type: 'complete', status: 'success' });
} catch (error) {
  const { message } = error as Error;
  console.error(`mini: ${message}`);
  dialog.write({ type: 'complete', status: stop.signal.aborted ? 'timeout' : 'error', message });
  // At the limit as a shell says it: 128 and SIGTERM's number.
  process.exitCode = stop.signal.aborted ? 143 : 1;
}

async function work(conversation: Item[]): Promise<void> {
  for (;;) {
    const { items, thoughts, text, calls, cut, tokens } = await ask(conversation);
    if (thoughts !== '') dialog.write({ type: 'thinking', content: thoughts });
    dialog.write({ type: 'message', content: text, tokens });
    conversation.push(...items);
    if (calls.length === 0 && !cut) return;
    if (calls.length === 0) conversation.push({ type: 'message', role: 'user', content: CUT });
    for (const { id, name, input } of calls) {
      dialog.write({ type: 'tool', tool_id: id, name, status: 'running', args: input });
      const { output, failed } = await perform(name, input, stop.signal);
      const end = failed ? { status: 'error' as const, error: output } : { status: 'success' as const, result: output };
      dialog.write({ type: 'tool', tool_id: id, ...end });
      stop.signal.throwIfAborted();
      conversation.push({ type: 'function_call_output', call_id: id, output });
    }
    if (tokens.in + tokens.out > longest) makeRoom(conversation);
  }
}

/** What is too long for the model is made shorter and asked again, once. */
async function ask(conversation: Item[]): Promise<Answer> {
  try {
    return await model.answer(conversation, stop.signal);
  } catch (error) {
    if (!(error instanceof ConversationTooLong) || makeRoom(conversation) === 0) throw error;
    return await model.answer(conversation, stop.signal);
  }
}

/**
 * Takes the older half of the tools' outputs out, a note in the place of each: the model knows what it has lost. Its own
 * words and its calls stay. Half of them at once, because the provider's cache ends at the first change.
 */
function makeRoom(conversation: readonly Item[]): number {
  const full = conversation.filter(({ output = NOTE }) => output !== NOTE);
  const outputs = full.slice(0, Math.max(0, Math.min(Math.ceil(full.length / 2), full.length - KEPT_OUTPUTS)));
  for (const item of outputs) item.output = NOTE;
  console.error(`mini: ${outputs.length} outputs were taken out of the conversation to make room`);
  return outputs.length;
}
