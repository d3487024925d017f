import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileError, readAgentDockerfile, readProgramDockerfile } from '../images/agent-dockerfile.ts';
import { programStage } from '../images/program-stage.ts';
import { pythonUses } from './python-sse.ts';
import { showPath } from './show-path.ts';

/** Larger files are no wrappers. Bytes. */
const LONGEST = 256 * 1024;
const SKIPPED = new Set(['node_modules', '.git', 'fixtures']);
/** Names that stand for images which are made only when they are needed. */
const ANY = { agent: 'work', program: 'program' };

/** What keeps an agent from being built or from finding what it needs, beside its manifest: `path:line: what, and what to do`. */
export function folderProblems(dir: string): string[] {
  const dockerfile = join(dir, 'Dockerfile');
  if (!existsSync(dockerfile)) {
    return [`${showPath(dockerfile)}: no such file; it starts FROM ssebench-agent, and its CMD is what runs`];
  }
  return [...dockerfileProblems(dockerfile), ...pythonProblems(dir)];
}

function dockerfileProblems(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  try {
    const stage = programStage(text);
    if (stage) readProgramDockerfile(stage.content, ANY.program);
    readAgentDockerfile(stage?.replacedBy(ANY.program) ?? text, ANY);
    return [];
  } catch (error) {
    if (error instanceof DockerfileError) return [`${showPath(path)}:${error.line}: ${error.message}`];
    throw error;
  }
}

/** A wrapper that imports what only other harnesses have would fail in every run. */
function pythonProblems(dir: string): string[] {
  const files = filesIn(dir, '');
  const hasOwn = files.some((path) => /(?:^|\/)sse(?:\.py|\/__init__\.py)$/.test(path));
  return files.flatMap((path) => {
    const whole = join(dir, path);
    if (statSync(whole).size > LONGEST || (hasOwn && path.endsWith('.py'))) return [];
    const text = readFileSync(whole, 'utf8');
    if (!/(?:\.py|\.sh|(?:^|\/)Dockerfile)$/.test(path) && !/^#!.*\b(?:ba|da)?sh\b|^#!.*\bpython/.test(text)) return [];
    return pythonUses(text).map(({ line, found, command }) => {
      const remedy = `agents have no Python package sse here; the command ${command} takes its place`;
      return `${showPath(whole)}:${line}: ${JSON.stringify(found)}: ${remedy}`;
    });
  });
}

function filesIn(root: string, below: string): string[] {
  const entries = readdirSync(join(root, below), { withFileTypes: true }).filter(({ name }) => !SKIPPED.has(name));
  return entries.flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return filesIn(root, path);
    return entry.isFile() ? [path] : [];
  });
}
