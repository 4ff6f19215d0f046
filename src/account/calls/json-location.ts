/** A value in a JSON document with its JSON pointer (RFC 6901). */
export interface JsonLocation {
  readonly value: unknown;
  /** For example `/paths/~1v1~1account/get`; empty for the whole document. */
  readonly pointer: string;
}

/** A longer chain of references is treated as circular. */
const MAX_REFERENCES = 16;

/** A member of an object or an array; its value is undefined if it does not exist. */
export function getMember({ value, pointer }: JsonLocation, name: string): JsonLocation {
  const exists = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return {
    value: exists ? (value as Record<string, unknown>)[name] : undefined,
    pointer: `${pointer}/${token}`,
  };
}

/** The members of an object or an array; empty for any other value. */
export function listMembers(location: JsonLocation): readonly JsonLocation[] {
  const { value } = location;
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).map((name) => getMember(location, name));
}

/** Follows `$ref`s within the document. The value is undefined if one is external, circular, or has no target. */
export function resolveReference(document: unknown, location: JsonLocation): JsonLocation {
  let current = location;
  for (let step = 0; step < MAX_REFERENCES; step++) {
    const reference = getMember(current, '$ref').value;
    if (typeof reference !== 'string') return current;
    current = locatePointer(document, reference);
  }
  return { value: undefined, pointer: location.pointer };
}

function locatePointer(document: unknown, reference: string): JsonLocation {
  const whole = { value: document, pointer: '' };
  if (!reference.startsWith('#/')) return { value: undefined, pointer: reference };
  return reference
    .slice('#/'.length)
    .split('/')
    .map((token) => decodeToken(token).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonLocation>(getMember, whole);
}

function decodeToken(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
