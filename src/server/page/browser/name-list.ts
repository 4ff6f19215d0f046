/** Splits a list of names at commas and white space. */
export function splitNames(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

/** Adds a name to a list of names, or removes it if present. */
export function toggleName(text: string, name: string): string {
  const names = splitNames(text);
  return (names.includes(name) ? names.filter((other) => other !== name) : [...names, name]).join(', ');
}

/** Splits a list before its last name, which the user is typing. */
export function splitLast(text: string): { readonly before: string; readonly last: string } {
  const last = /[^\s,]*$/.exec(text)?.[0] ?? '';
  return { before: text.slice(0, text.length - last.length), last };
}
