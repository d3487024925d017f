/**
 * Text for a terminal: names and messages may come from an agent, and nothing of it may steer what a person sees. Ends of lines
 * and tabs stay, every other control character becomes U+FFFD.
 */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, '\u{fffd}');
}
