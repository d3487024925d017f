import { type Instruction, parseDockerfile, stagesOf } from './dockerfile.ts';

/** What an agent's Dockerfile calls the image that it is built on. */
const AGENT_BASE = 'ssebench-agent';
/** A build context of other harnesses. The engine's API has no such thing, and it would put the whole clone at hand. */
const WORKSPACE = 'workspace';

/** A line of a Dockerfile that we can't build from. */
export class DockerfileError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = 'DockerfileError';
    this.line = line;
  }
}

/**
 * The Dockerfile with `ssebench-agent` replaced by `image` wherever it names an image (`FROM`, `COPY --from`,
 * `RUN --mount=…,from=`); a stage of that name, and names that come from arguments, are left alone. Line numbers stay.
 * @throws DockerfileError when the `workspace` context is used, or when the last stage is not built on `ssebench-agent`
 */
export function withAgentBase(text: string, image: string): string {
  const instructions = parseDockerfile(text);
  requireAgentBase(instructions);
  const lines = text.split('\n');
  const stages = new Set<string>();
  for (const instruction of instructions) {
    const rewritten = rewrite(instruction, (name) => {
      if (stages.has(name.toLowerCase())) return undefined;
      if (name === WORKSPACE) {
        const problem = `there is no build context "${WORKSPACE}": put what the agent needs into its own folder`;
        throw new DockerfileError(instruction.line, problem);
      }
      return name === AGENT_BASE ? image : undefined;
    });
    if (rewritten !== instruction.rest) {
      lines.fill('', instruction.line - 1, instruction.lastLine);
      lines[instruction.line - 1] = `${instruction.keyword} ${rewritten}`;
    }
    const [stage] = stagesOf([instruction]);
    if (stage?.name) stages.add(stage.name);
  }
  return lines.join('\n');
}

/** Each place of an instruction where an image may be named, replaced where `replacement` gives one. */
function rewrite({ keyword, rest }: Instruction, replacement: (name: string) => string | undefined): string {
  const swap = (match: string, before: string, name: string) => {
    const other = replacement(name);
    return other === undefined ? match : before + other;
  };
  if (keyword === 'FROM') return rest.replace(/^((?:--\S+\s+)*)(\S+)/, swap);
  if (keyword === 'COPY') return rest.replace(/^((?:--\S+\s+)*?--from=)(\S+)/, swap);
  if (keyword !== 'RUN') return rest;
  const [flags = ''] = /^(?:--\S+\s+)*/.exec(rest) ?? [];
  return flags.replace(/(--mount=(?:[^\s,]+,)*from=)([^\s,]+)/g, swap) + rest.slice(flags.length);
}

function requireAgentBase(instructions: readonly Instruction[]): void {
  const stages = stagesOf(instructions);
  const last = stages.at(-1);
  let base = last;
  // Names of stages refer backwards only, so this ends.
  for (let at = stages.length - 1; base !== undefined && at >= 0; at--) {
    const earlier = stages.slice(0, at).findLast(({ name }) => name === base?.image.toLowerCase());
    if (!earlier) break;
    base = earlier;
  }
  if (!last || !base) throw new DockerfileError(1, `has no FROM line; it must start FROM ${AGENT_BASE}`);
  if (base.image !== AGENT_BASE && !base.image.includes('$')) {
    const problem = `the last stage is built on "${base.image}"; it must be FROM ${AGENT_BASE}`;
    throw new DockerfileError(last.instruction.line, problem);
  }
}
