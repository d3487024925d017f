/** What `sse` without a command says. */
export const USAGE = `sse: what an agent needs of its run

  sse prompt                     the task, as it is given to every agent
  sse project                    the task's public view, as JSON
  sse limits                     the time and the money that are left, as JSON
  sse test                       what test_patch answers about the tree as it is
  sse diff [--stat]              the changes so far; --stat: the files alone, as JSON
  sse model PROTOCOL [--json]    the model for clients of anthropic, openai or gemini: lines for a shell's eval
  sse mcp                        the MCP server with test_patch, on standard input and output
  sse node FILE [ARGUMENTS]      runs a TypeScript or JavaScript file, which may import @ssebench/sdk
  sse dialog TYPE [options]      records an entry of the session; see: sse dialog
  sse dialog lines               records entries that come on standard input, one JSON object per line
`;

export const DIALOG_USAGE = `sse dialog init --agent NAME [--model NAME] [--task ID] [--cwd DIR]
sse dialog prompt | message | thinking          the text comes on standard input
   message: [--tokens-in N --tokens-out N]
sse dialog tool-start --id ID --name NAME [--args JSON]
sse dialog tool-end --id ID [--error]           the result comes on standard input
sse dialog complete --status success|error|timeout [--turns N] [--message TEXT]
sse dialog lines                                {"type":"message","content":"…"}, one per line, without seq and ts
`;

/** A wrong command line: `message` says what it must be. Exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
