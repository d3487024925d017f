import { commandFor } from '../config/python-sse.ts';
import { globalArgs, type Instruction, parseDockerfile, stagesOf, substitute } from './dockerfile.ts';
import { PROGRAM_BASE } from './program-stage.ts';

/** What an agent's Dockerfile calls the image that it is built on. */
const AGENT_BASE = 'ssebench-agent';
/** A build context of other harnesses. The engine's API has no such thing, and it would put the whole clone at hand. */
const WORKSPACE = 'workspace';
/** Another frontend decides by itself what an instruction means, and what it takes from the engine. */
const FRONTEND = /^(?:docker\.io\/)?docker\/dockerfile(?:[:@]\S*)?$/;

/** A line of a Dockerfile that we can't build from. */
export class DockerfileError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = 'DockerfileError';
    this.line = line;
  }
}

/** A Dockerfile, ready to be built. */
export interface ReadDockerfile {
  /** Our names replaced wherever they name an image. Line numbers stay. */
  content: string;
  /** The other images that it takes something from, each with its line. */
  images: { name: string; line: number }[];
}

/** What stands for our names: the work image, and what programs are built on. */
export interface AgentImages {
  agent: string;
  program: string;
}

/**
 * Reads an agent's Dockerfile and puts `images` in place of `ssebench-agent` and `ssebench-program` wherever these name an image
 * (`FROM`, `COPY --from`, `RUN --mount=…,from=`). A stage of such a name is left alone. A base that comes from an argument is
 * what the argument's default says.
 * @throws DockerfileError when the `workspace` context is used, when the last stage is not built on `ssebench-agent`, and when it
 * can't be told which image a line means
 */
export function readAgentDockerfile(text: string, images: AgentImages): ReadDockerfile {
  refuseFrontend(text);
  const instructions = parseDockerfile(text);
  requireAgentBase(instructions, globalArgs(instructions, {}));
  return rewriteImages(text, (name) => ({ [AGENT_BASE]: images.agent, [PROGRAM_BASE]: images.program })[name]);
}

/**
 * The same for the part that makes the agent's program, once for all tasks.
 * @throws DockerfileError as above, and where it takes something from `ssebench-agent`, which each task has its own of
 */
export function readProgramDockerfile(text: string, program: string): ReadDockerfile {
  refuseFrontend(text);
  return rewriteImages(text, (name, line) => {
    if (name === PROGRAM_BASE) return program;
    if (name !== AGENT_BASE) return undefined;
    const problem = `the stage "program" is built once for all tasks, so neither it nor a stage before it can use ${AGENT_BASE}: put that behind it`;
    throw new DockerfileError(line, problem);
  });
}

function rewriteImages(text: string, replacement: (name: string, line: number) => string | undefined): ReadDockerfile {
  const instructions = parseDockerfile(text);
  const args = globalArgs(instructions, {});
  const lines = text.split('\n');
  const stages = new Set<string>();
  const images: ReadDockerfile['images'] = [];
  for (const instruction of instructions) {
    const { keyword, line } = instruction;
    const rewritten = rewrite(instruction, (written) => {
      const name = keyword === 'FROM' ? substitute(written, args) : written;
      if (name.includes('$')) throw new DockerfileError(line, `it can't be told which image "${written}" is: name it`);
      if (stages.has(name.toLowerCase()) || /^\d+$/.test(name)) return undefined;
      if (name === WORKSPACE) throw noWorkspace(instruction);
      const ours = replacement(name, line);
      if (ours === undefined) images.push({ name, line });
      return ours;
    });
    if (rewritten !== instruction.rest) {
      lines.fill('', line - 1, instruction.lastLine);
      lines[line - 1] = `${keyword} ${rewritten}`;
    }
    const [stage] = stagesOf([instruction]);
    if (stage?.name) stages.add(stage.name);
  }
  return { content: lines.join('\n'), images };
}

/** What others take from there is what our command does, or the agent's own. */
function noWorkspace({ line, rest }: Instruction): DockerfileError {
  const what = `there is no build context "${WORKSPACE}"`;
  const command = `the command ${commandFor(rest)}, which every agent has on its path, takes the place of the Python package sse`;
  return new DockerfileError(line, `${what}: ${command}; put what else the agent needs into its own folder`);
}

/** Each place of an instruction where an image may be named, replaced where `replacement` gives one. */
function rewrite({ keyword, rest }: Instruction, replacement: (name: string) => string | undefined): string {
  const swap = (match: string, before: string, quote: string, name: string) => {
    const other = replacement(name);
    return other === undefined ? match : before + quote + other;
  };
  const named = (before: string, flags: string) => flags.replace(new RegExp(before, 'gi'), swap);
  if (keyword === 'FROM') return rest.replace(/^((?:--\S+\s+)*)(["']?)([^\s"']+)/, swap);
  if (keyword === 'ONBUILD') {
    const [inner] = parseDockerfile(rest);
    if (inner) rewrite(inner, replacement);
    return rest;
  }
  const [flags = ''] = /^(?:--\S+\s+)*/.exec(rest) ?? [];
  if (keyword === 'COPY' || keyword === 'ADD')
    return named(`((?:^|\\s)--from=)(["']?)([^\\s"']+)`, flags) + rest.slice(flags.length);
  if (keyword !== 'RUN') return rest;
  return named(`(--mount=(?:[^\\s,]+,)*["']?from=)(["']?)([^\\s,"']+)`, flags) + rest.slice(flags.length);
}

function requireAgentBase(instructions: readonly Instruction[], args: ReadonlyMap<string, string>): void {
  const stages = stagesOf(instructions).map((stage) => ({ ...stage, image: substitute(stage.image, args) }));
  const last = stages.at(-1);
  if (!last) throw new DockerfileError(1, `has no FROM line; it must start FROM ${AGENT_BASE}`);
  let base = last;
  // Names of stages refer backwards only, so this ends.
  for (let at = stages.length - 1; at >= 0; at--) {
    refuseEntrypoint(instructions, base.instruction);
    const earlier = stages.slice(0, at).findLast(({ name }) => name === base.image.toLowerCase());
    if (!earlier) break;
    base = earlier;
  }
  if (base.image === AGENT_BASE) return;
  const problem = `the last stage is built on "${base.image}"; it must be FROM ${AGENT_BASE}`;
  throw new DockerfileError(last.instruction.line, problem);
}

/** An agent's container starts with the harness's own program, which runs the image's command. `[]` only takes one away. */
function refuseEntrypoint(instructions: readonly Instruction[], from: Instruction): void {
  const ofStage = instructions.slice(instructions.indexOf(from) + 1);
  const end = ofStage.findIndex(({ keyword }) => keyword === 'FROM');
  const found = ofStage
    .slice(0, end < 0 ? undefined : end)
    .find(({ keyword, rest }) => keyword === 'ENTRYPOINT' && !/^\[\s*\]$/.test(rest));
  if (found) throw new DockerfileError(found.line, 'ENTRYPOINT would not be run: put the whole command into CMD');
}

/** The directive counts in the comments at the very top, in either spelling of a comment that engines know. */
function refuseFrontend(text: string): void {
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, key = '', value = ''] = /^\s*(?:#|\/\/)\s*([A-Za-z]+)\s*=\s*(\S+)/.exec(line) ?? [];
    if (key.toLowerCase() === 'syntax' && !FRONTEND.test(value))
      throw new DockerfileError(index + 1, `syntax=${value}: must be docker/dockerfile, or nothing`);
    if (line.trim() !== '' && !/^\s*(?:#|\/\/)/.test(line)) return;
  }
}
