/** How a run's last call failed, in a line. @param status 0: there was no answer */
export function failureText({ status, words }: { status: number; words: string }): string {
  return [status > 0 ? `HTTP ${status}` : 'no answer', words].filter((part) => part !== '').join(': ');
}
