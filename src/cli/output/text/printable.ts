/** A text from outside for the screen: control characters would move the terminal's cursor. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\ufffd');
}
