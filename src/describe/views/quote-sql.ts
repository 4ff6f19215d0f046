/** Quotes a name of a view or column. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text. Only quotes have a special meaning in it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
