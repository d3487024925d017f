/** Ends the run that `owner.json` of a directory tells of, as its command would: argv is its results folder and its token. */
import { readOwner } from '../results/owner.ts';
import { readGradeOutcome, readWorkOutcome } from '../run/outcome-files.ts';
import { factsOf } from '../run/owner-file.ts';
import { RunRecord } from '../run/record.ts';
import { runDirectory } from '../run/run-directory.ts';
import { endRun } from '../run/write-results.ts';

const [, , root = '', token = ''] = process.argv;
const owner = readOwner(`${root}/.live/${token}`);
if (!owner) throw new Error('no owner');
const { model, agent } = owner.settings;
const directory = runDirectory(root, { task: owner.task.id, model, agent, runId: owner.run_id }, token);
const record = new RunRecord();
record.work = (await readWorkOutcome(directory.work)) ?? null;
record.grade = await readGradeOutcome(directory.grade);
await endRun(directory, factsOf(owner), record);
