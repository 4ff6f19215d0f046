/** A message, or a part of one, of which nothing is known yet. */
export type MessageFields = Readonly<Record<string, unknown>>;

export function isMessageFields(value: unknown): value is MessageFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that is an object; an empty one where it isn't. */
export function toFields(value: unknown): MessageFields {
  return isMessageFields(value) ? value : {};
}

/** The objects of a field that is a list. */
export function toFieldsList(value: unknown): readonly MessageFields[] {
  return Array.isArray(value) ? value.filter(isMessageFields) : [];
}
