import type { Asked } from './asked.ts';
import { callFor, canWork } from './offered-tools.ts';
import type { ScriptedCall, ScriptedReply } from './reply.ts';
import { sampleValue } from './sample-value.ts';
import { type Act, DEFAULT_USAGE, type Fault, type Said, type Scenario, type Step } from './scenario.ts';

const CLOSING = 'Done.';
const ASIDE = 'Fix a vulnerability';

/** What a request is answered with. */
export type Turn =
  | { readonly kind: 'fault'; readonly step: number; readonly fault: Fault }
  /** `step` is undefined behind the last. */
  | { readonly kind: 'step'; readonly step: number | undefined; readonly reply: Omit<ScriptedReply, 'number'> }
  | { readonly kind: 'aside'; readonly reply: Omit<ScriptedReply, 'number'> };

/** A scenario under way. */
export class Script {
  /** Steps, by their place from 0, for which no tool was offered that can do them. They were left out. */
  readonly skipped: number[] = [];
  readonly #scenario: Scenario;
  #at = 0;
  /** How often the fault at hand has been. */
  #times = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** All steps were taken. */
  get ended(): boolean {
    return this.#at >= this.#scenario.steps.length;
  }

  next(asked: Asked): Turn {
    if (!canWork(asked.tools)) return { kind: 'aside', reply: this.#reply(asked, { say: this.#aside(asked) }, []) };
    for (let step = this.#scenario.steps[this.#at]; step !== undefined; step = this.#scenario.steps[this.#at]) {
      const at = this.#at;
      if (isFault(step)) {
        this.#times += 1;
        if (this.#times >= (step.times ?? 1)) this.#advance();
        return { kind: 'fault', step: at, fault: step };
      }
      this.#advance();
      const calls = actsOf(step).map((act) => callFor(act, asked.tools));
      if (!calls.includes(undefined)) {
        const made = calls.filter((call) => call !== undefined);
        return { kind: 'step', step: at, reply: this.#reply(asked, step, made) };
      }
      this.skipped.push(at);
    }
    return { kind: 'step', step: undefined, reply: this.#reply(asked, { say: CLOSING }, []) };
  }

  #advance(): void {
    this.#at += 1;
    this.#times = 0;
  }

  #aside({ schema }: Asked): string {
    const { aside = ASIDE } = this.#scenario;
    return schema === undefined ? aside : JSON.stringify(sampleValue(schema));
  }

  #reply({ model }: Asked, { think, say }: Said, calls: ScriptedCall[]): Omit<ScriptedReply, 'number'> {
    const { usage = DEFAULT_USAGE } = this.#scenario;
    return { model, think, say: say ?? (calls.length === 0 ? CLOSING : undefined), calls, usage };
  }
}

function isFault(step: Step): step is Fault {
  return step.do === 'fail' || step.do === 'cut' || step.do === 'hang';
}

function actsOf(step: Exclude<Step, Fault>): readonly Act[] {
  if (step.do === 'finish') return [];
  return step.do === 'together' ? step.acts : [step];
}
