import type { AgentManifest } from '@ssebench/contracts/agent-manifest';
import { scriptedCost } from '@ssebench/gateway/scripted/models-file';
import { type CheckPoint, missing, note, ok } from './check-point.ts';
import { STARTER_FILE, STARTER_FIX } from './starter-scenario.ts';
import { conversation, type Trial } from './trial.ts';

/** Of a spend and what the tokens cost, US dollars: what is still the same. */
const SAME = 1e-8;

/** The run ended before its agent began. */
export function neverStarted({ summary: { runtime_result: run } }: Trial): boolean {
  return run.agent_exit_code === null && !run.agent_timeout;
}

/** Why it did. Of a build that failed, the end of its output: no file of the run has it. */
export function startPoint({ summary: { outcome, patch_result } }: Trial): CheckPoint {
  const [found = '', ...output] = (outcome.fault?.detail ?? patch_result.error_msg ?? outcome.code).split('\n');
  return missing('start', found, ['put right what failed', ...output].join('\n'));
}

/**
 * What the scripted model and the run's results say of an agent's whole work, beside its session.
 * @param report that the prompt holds, among others
 */
export function workPoints(trial: Trial, manifest: AgentManifest, report: string): CheckPoint[] {
  if (trial.requests.length === 0) return [modelPoint(trial), exitPoint(trial)];
  return [
    modelPoint(trial),
    protocolPoint(trial, manifest),
    promptPoint(trial, report),
    toolsPoint(trial),
    testPatchPoint(trial),
    editPoint(trial),
    gradePoint(trial),
    exitPoint(trial),
    spendPoint(trial),
    ...refusalPoints(trial),
  ];
}

function modelPoint({ requests, firstRequestMs }: Trial): CheckPoint {
  const point = 'model';
  if (requests.length === 0) {
    return missing(
      point,
      'the endpoint got no request that it passed on',
      'the agent must call SSE_BASE_URL with the key SSE_API_KEY and the model SSE_MODEL_NAME; "sse model openai" (or anthropic, gemini) prints them as the providers\' clients want them',
    );
  }
  const first =
    firstRequestMs === undefined ? '' : `, the first ${(firstRequestMs / 1000).toFixed(1)} s after the start`;
  return ok(point, `${requests.length} requests${first}`);
}

function protocolPoint({ requests }: Trial, { protocols }: AgentManifest): CheckPoint {
  const point = 'protocol';
  const spoken = [...new Set(requests.map(({ protocol }) => protocol))];
  if (protocols === undefined)
    return note(point, spoken.join(', '), `say so in agent.yaml: protocols: [${spoken.join(', ')}]`);
  const unsaid = spoken.filter((protocol) => !protocols.includes(protocol));
  if (unsaid.length === 0) return ok(point, spoken.join(', '));
  return missing(
    point,
    `speaks ${unsaid.join(', ')}; agent.yaml has ${protocols.join(', ')}`,
    `protocols: [${spoken.join(', ')}] in agent.yaml`,
  );
}

function promptPoint(trial: Trial, report: string): CheckPoint {
  const point = 'prompt';
  const sent = conversation(trial).some(({ text }) => plain(text).includes(plain(report)));
  if (sent) return ok(point, 'the model was sent the task');
  return missing(
    point,
    "the model was not sent the task's report",
    'give the model all that "sse prompt" prints, unchanged',
  );
}

function toolsPoint({ skipped }: Trial): CheckPoint {
  const point = 'shell';
  if (skipped.length === 0) return ok(point, 'the model could run commands');
  return missing(
    point,
    'no tool was offered with which the model could run a command or change a file',
    'offer the model a tool with a parameter "command", in the way that its protocol has for tools',
  );
}

function testPatchPoint(trial: Trial): CheckPoint {
  const point = 'test_patch';
  const asked = conversation(trial);
  const offered = asked.flatMap(({ tools }) => tools).find(({ name }) => name.endsWith('test_patch'));
  const answered = asked.some(({ results }) => results.some((text) => text.includes('test_patch result')));
  if (!answered) {
    return missing(
      point,
      offered ? `the tool ${offered.name} gave the model no answer` : "the model's call got no answer",
      'connect the MCP server at http://localhost:3000/mcp, or "sse mcp" on standard input and output, with a time limit of an hour; or offer a tool that runs "sse test"',
    );
  }
  if (offered) return ok(point, `called as ${offered.name}, and the model got the answer`);
  return note(
    point,
    '"sse test" works in the agent\'s shell, but the model is offered no tool test_patch, and the prompt names none',
    'connect the MCP server at http://localhost:3000/mcp, or tell the model of "sse test"',
  );
}

function editPoint({ finalPatch }: Trial): CheckPoint {
  const point = 'edit';
  const [line = ''] = STARTER_FIX.new.split('\n');
  if (finalPatch.includes(`+${line}`)) return ok(point, `the patch has the change of ${STARTER_FILE}`);
  const found =
    finalPatch === '' ? 'nothing was changed in the source' : 'the patch has not the change that the model made';
  return missing(point, found, "run the model's commands as they are, in the directory SSE_SOURCE");
}

function gradePoint({ summary: { patch_result: result, outcome } }: Trial): CheckPoint {
  const point = 'grade';
  if (outcome.code === 'graded' && result.status === 'passed') return ok(point, 'passed');
  const why = outcome.fault?.detail ?? result.error_msg ?? outcome.code;
  return missing(point, `${result.status}: ${why}`, "see the points above, and the run's logs");
}

function exitPoint({ summary: { runtime_result: run } }: Trial): CheckPoint {
  const point = 'exit status';
  if (run.agent_timeout) {
    return missing(point, 'the agent did not end', 'it must end when the model answers without calling a tool');
  }
  if (run.agent_exit_code === 0) return ok(point, '0');
  return missing(point, `${run.agent_exit_code} after work that went well`, "see agent.log of the run's directory");
}

function spendPoint({ summary, used }: Trial): CheckPoint {
  const point = 'spend';
  const cost = scriptedCost(used);
  const { uncertain = 0 } = summary.model ?? {};
  if (Math.abs(summary.spend - cost) < SAME && uncertain === 0)
    return ok(point, `${summary.spend.toFixed(6)} USD, to the token`);
  return missing(
    point,
    `${summary.spend.toFixed(6)} USD, and ${uncertain.toFixed(6)} that are not known; the tokens cost ${cost.toFixed(6)}`,
    'read every answer of the model to its end, also when the work is over',
  );
}

/** What the gateway did not let through costs an agent something, if only a call. */
function refusalPoints({ summary }: Trial): CheckPoint[] {
  const refusals = summary.model?.refusals ?? [];
  return refusals.map(({ field, found, count, code }) =>
    note(
      'refused',
      `${field} (${found}), ${count} times`,
      `turn it off in the agent's settings, or allow it: run --allow ${code}`,
    ),
  );
}

/** Without what line ends and indentation differ in. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
