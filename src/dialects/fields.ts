/** A message, or a part of one, of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that is an object; an empty one where it isn't. */
export function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The objects of a field that is a list. */
export function listIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}
