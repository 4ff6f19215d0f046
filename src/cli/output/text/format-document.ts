/**
 * A JSON value of the service or a file as text: in one line, or indented for people. What a terminal would obey, or not
 * show, is escaped; the value is the same.
 */
export function formatDocument(value: unknown, indented: boolean): string {
  const json = JSON.stringify(value, null, indented ? 2 : undefined);
  return `${json.replace(/[^\P{C}\n]/gu, escaped)}\n`;
}

/** As JSON escapes it: each UTF-16 unit by its number. */
function escaped(character: string): string {
  const units = character.split('');
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
