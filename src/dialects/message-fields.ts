/** A message, or a part of one, with unvalidated fields. */
export type MessageFields = Readonly<Record<string, unknown>>;

export function isMessageFields(value: unknown): value is MessageFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object as it is, and an empty object for anything else. */
export function toFields(value: unknown): MessageFields {
  return isMessageFields(value) ? value : {};
}

/** The objects in a list; empty for anything else. */
export function toFieldsList(value: unknown): readonly MessageFields[] {
  return Array.isArray(value) ? value.filter(isMessageFields) : [];
}
