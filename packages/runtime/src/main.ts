/**
 * The runtime's one program: `entrypoint`, `daemon`, `evaluator`, `mcp`, `sse`, `usage`, `tunnel`, `leaks`. Each is loaded only when it
 * is asked for, since a container starts several of them.
 */
async function run([program, ...args]: readonly string[]): Promise<number> {
  switch (program) {
    case 'entrypoint':
      return (await import('./entrypoint/main.ts')).runEntrypoint(args);
    case 'daemon':
      return (await import('./daemon/main.ts')).runDaemon(args);
    case 'evaluator':
      return (await import('./evaluator/main.ts')).runEvaluator();
    case 'mcp':
      return (await import('./mcp/main.ts')).runMcp();
    case 'sse':
      return (await import('./sse/main.ts')).runSse(args);
    case 'usage':
      return (await import('./usage/main.ts')).runUsage(args);
    case 'tunnel':
      return (await import('./tunnel/main.ts')).runTunnel(args);
    case 'leaks':
      return (await import('./leaks/main.ts')).runLeaks(args);
    default:
      process.stderr.write(
        `unknown program ${JSON.stringify(program ?? '')}: must be entrypoint, daemon, evaluator, mcp, sse, usage, tunnel, leaks\n`,
      );
      return 1;
  }
}

run(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
