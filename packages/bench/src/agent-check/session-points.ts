import { type CheckPoint, missing, note, ok } from './check-point.ts';
import { endOf, entriesOf, type Session } from './session.ts';
import { SAYS } from './starter-scenario.ts';
import { conversation, type Trial } from './trial.ts';

const RECORD = 'record it with "sse dialog", or with DialogWriter of the SDK';
const COMPLETE = 'end with {"type":"complete"}: "sse dialog complete --status success"';

/** What the session that an agent recorded of its whole work says. @param report that the prompt holds, among others */
export function sessionPoints(trial: Trial, report: string): CheckPoint[] {
  const { session } = trial;
  if (!session) return [missing('session', 'the run has no archive/dialog.jsonl', RECORD)];
  return [
    ...brokenPoints(session),
    promptEntryPoint(session, report),
    messagesPoint(session),
    thinkingPoint(session),
    toolCallsPoint(session, trial),
    tokensPoint(session, trial),
    completePoint(session),
  ];
}

/** Lines that nobody can read, in any of the runs. */
export function brokenPoints({ broken }: Session): CheckPoint[] {
  if (broken.length === 0) return [];
  const more = broken.length > 1 ? ` (and ${broken.length - 1} more)` : '';
  return [missing('session: lines', `dialog.jsonl:${broken[0]}${more}`, RECORD)];
}

/** Tool calls without an end, by name. */
export function openTools(session: Session): string[] {
  const tools = entriesOf(session, 'tool');
  const ended = new Set(tools.filter(({ status }) => status !== 'running').map(({ tool_id }) => tool_id));
  return tools.filter(({ status, tool_id }) => status === 'running' && !ended.has(tool_id)).map(({ name }) => name);
}

function promptEntryPoint(session: Session, report: string): CheckPoint {
  const point = 'session: prompt';
  const [first] = report.trim().split('\n');
  const prompts = entriesOf(session, 'prompt').map(({ content }) => content);
  if (prompts.some((content) => content.includes(first ?? report))) return ok(point, 'recorded');
  return missing(point, prompts.length === 0 ? 'none' : 'not the task', 'sse prompt | sse dialog prompt');
}

function messagesPoint(session: Session): CheckPoint {
  const point = 'session: messages';
  const said = entriesOf(session, 'message').map(({ content }) => content);
  const lost = [SAYS.first, SAYS.last].filter((text) => !said.some((content) => content.includes(text)));
  if (lost.length === 0) return ok(point, `${said.length}`);
  return missing(
    point,
    `the model said ${JSON.stringify(lost[0])}, and it is not there`,
    'record all that the model says',
  );
}

function thinkingPoint(session: Session): CheckPoint {
  const point = 'session: thinking';
  const thought = entriesOf(session, 'thinking').map(({ content }) => content);
  if (thought.some((content) => content.includes(SAYS.think))) return ok(point, 'recorded');
  return note(point, "the model's thoughts are not there", 'record them, where the program shows them');
}

function toolCallsPoint(session: Session, trial: Trial): CheckPoint {
  const point = 'session: tool calls';
  const tools = entriesOf(session, 'tool');
  const ends = tools.filter(({ status }) => status !== 'running');
  const started = new Set(tools.filter(({ status }) => status === 'running').map(({ tool_id }) => tool_id));
  const open = openTools(session);
  const made = conversation(trial).at(-1)?.results.length ?? 0;
  if (started.size < made) {
    return missing(point, `${started.size} of ${made}`, 'record the start and the end of every call of a tool');
  }
  if (open.length > 0) return missing(point, `no end of ${open.join(', ')}`, 'record how every call of a tool ended');
  const unbegun = ends.filter(({ tool_id }) => !started.has(tool_id));
  if (unbegun.length > 0) {
    return missing(point, `no start of ${unbegun[0]?.tool_id}`, 'one tool_id for the start and the end of a call');
  }
  const results = ends.map(({ result = '', error = '' }) => result + error);
  const lost = ['FIRST_CAPACITY', 'test_patch result'].filter(
    (text) => !results.some((result) => result.includes(text)),
  );
  if (lost.length === 0) return ok(point, `${started.size}, each with its result`);
  return missing(point, `no result has "${lost[0]}", as the model was told`, 'record what the tools answered');
}

function tokensPoint(session: Session, { used }: Trial): CheckPoint {
  const point = 'session: tokens';
  const { total_tokens: total } = endOf(session) ?? {};
  if (!total || total.in === 0 || total.out === 0) {
    return missing(point, 'none', 'give messages their tokens, or the end of the session its total_tokens');
  }
  const found = `${total.in} in, ${total.out} out`;
  const given = used.input + used.cacheRead;
  if (total.in === given && total.out === used.output) return ok(point, found);
  return note(
    point,
    `${found}; the model counted ${given} in (${used.cacheRead} of them from a cache), ${used.output} out`,
  );
}

function completePoint(session: Session): CheckPoint {
  const point = 'session: end';
  const end = endOf(session);
  if (!end) return missing(point, 'none', COMPLETE);
  if (session.entries.at(-1) !== end) return missing(point, 'entries follow it', 'nothing is to follow it');
  if (end.status !== 'success') return missing(point, `${end.status} after work that went well`, COMPLETE);
  return ok(point, `success, ${end.turns} turns`);
}
