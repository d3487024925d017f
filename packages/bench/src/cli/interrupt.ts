const INTERRUPTED = 130;

function leave(): void {
  process.stderr.write('Interrupted\n');
  process.exit(INTERRUPTED);
}

/** Until a command guards itself, Ctrl-C says so and ends it with status 130. */
export function leaveOnInterrupt(): void {
  process.on('SIGINT', leave);
}

/** From here on the command watches for Ctrl-C itself. */
export function guardInterrupts(): void {
  process.off('SIGINT', leave);
}
