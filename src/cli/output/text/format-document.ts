/**
 * Formats a JSON value of the service or a file, in one line or indented. Control characters and invisible ones are
 * escaped for terminals; the value is unchanged.
 */
export function formatDocument(value: unknown, indented: boolean): string {
  const json = JSON.stringify(value, null, indented ? 2 : undefined);
  return `${json.replace(/[^\P{C}\n]/gu, escapeCharacter)}\n`;
}

/** Escapes a character as JSON does: each UTF-16 unit by its number. */
function escapeCharacter(character: string): string {
  const units = character.split('');
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
