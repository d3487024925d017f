import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { TaskConfig, TaskId } from '@ssebench/contracts/task-config';

/** What `ssebench task new` has to know, as it stands on the command line. */
export interface Answers {
  id?: string;
  dataset?: string;
  language?: string;
  project?: string;
  repository?: string;
  commit?: string;
  fix?: string;
  type?: string;
  report?: string;
}

interface Question {
  key: keyof Answers;
  /** The option, for messages. */
  option: string;
  text: string;
  required: boolean;
  /** What is wrong with an answer; undefined when nothing is. */
  problem(answer: string): string | undefined;
}

const { shape } = TaskConfig;
const any = (): undefined => undefined;
const address = (value: string) => (/^https:\/\/\S+$/.test(value) ? undefined : 'must be an https:// address');
const commit = (value: string) =>
  /^[0-9a-f]{40}$/.test(value) ? undefined : 'must be a full commit of 40 hexadecimal digits';
const by =
  (schema: { safeParse(value: string): { error?: { issues: { message: string }[] } | undefined } }) =>
  (value: string) =>
    schema.safeParse(value).error?.issues[0]?.message;

const QUESTIONS: readonly Question[] = [
  { key: 'dataset', option: '--dataset', text: 'Dataset folder', required: true, problem: any },
  {
    key: 'id',
    option: 'the ID',
    text: 'ID of the task, such as leak-CVE-2024-1234',
    required: true,
    problem: by(TaskId),
  },
  {
    key: 'language',
    option: '--language',
    text: `Language (${shape.language.options.join(', ')})`,
    required: true,
    problem: (value) =>
      by(shape.language)(value) === undefined ? undefined : `must be one of ${shape.language.options.join(', ')}`,
  },
  { key: 'project', option: '--project', text: "The project's name", required: true, problem: by(shape.project) },
  { key: 'repository', option: '--repository', text: 'Its repository (https://…)', required: true, problem: address },
  { key: 'commit', option: '--commit', text: 'The vulnerable commit (empty: later)', required: false, problem: commit },
  { key: 'fix', option: '--fix', text: 'The commit that fixes it (empty: later)', required: false, problem: commit },
  { key: 'type', option: '--type', text: 'Kind of bug (empty: later)', required: false, problem: any },
  {
    key: 'report',
    option: '--report',
    text: 'Advisory or issue (https://…, empty: later)',
    required: false,
    problem: address,
  },
];

/** What is wrong with the answers so far: all of it. `complete`: what is required must be there. */
export function answerProblems(answers: Answers, complete: boolean): string[] {
  return QUESTIONS.flatMap(({ key, option, required, problem }) => {
    const given = answers[key];
    if (given === undefined) return complete && required ? [`${option} is missing`] : [];
    const wrong = problem(given);
    return wrong === undefined ? [] : [`${option}: ${wrong}, found "${given}"`];
  });
}

/** Asks for what is not answered yet, each question until the answer is right; undefined when the input ends. */
export async function ask(answers: Answers, input: Readable, output: Writable): Promise<Answers | undefined> {
  const all: Answers = { ...answers };
  using lines = createInterface({ input, output });
  const answersOf = lines[Symbol.asyncIterator]();
  let isOpen = true;
  lines.once('close', () => {
    isOpen = false;
  });
  for (const { key, text, required, problem } of QUESTIONS) {
    while (all[key] === undefined) {
      lines.setPrompt(`${text}: `);
      if (isOpen) lines.prompt();
      else output.write(lines.getPrompt());
      const { done, value } = await answersOf.next();
      if (done) return undefined;
      const answer = value.trim();
      if (answer === '' && !required) break;
      const wrong = answer === '' ? 'must be given' : problem(answer);
      if (wrong === undefined) all[key] = answer;
      else output.write(`${wrong}\n`);
    }
  }
  return all;
}
