import type { Command } from 'commander';
import { buildProgram } from './program.ts';

/**
 * The help of every command, by its words: `run`, `runs list`, and the empty string for all of it. `help.json` is made of it,
 * so that asking for help needs no parser.
 */
export function commandHelp(): Record<string, string> {
  return Object.fromEntries(helpOf(buildProgram({ status: 0 }), []));
}

function helpOf(command: Command, words: readonly string[]): [string, string][] {
  const own: [string, string] = [words.join(' '), command.helpInformation()];
  return [own, ...command.commands.flatMap((child) => helpOf(child, [...words, child.name()]))];
}
