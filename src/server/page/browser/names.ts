/** Names that commas or spaces part. */
export function namesOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

/** A list of names as text, with one put in, or taken out where it is there. */
export function toggleName(text: string, name: string): string {
  const names = namesOf(text);
  return (names.includes(name) ? names.filter((one) => one !== name) : [...names, name]).join(', ');
}

/** The last name of a list, which is still being typed, and all that stands before it. */
export function splitLast(text: string): { readonly before: string; readonly last: string } {
  const last = /[^\s,]*$/.exec(text)?.[0] ?? '';
  return { before: text.slice(0, text.length - last.length), last };
}
