/** A place in a JSON document, with the way there (RFC 6901). */
export interface JsonLocation {
  readonly value: unknown;
  /** Such as `/paths/~1v1~1account/get`; empty for the whole document. */
  readonly pointer: string;
}

/** References that lead from one to the next: more than this is a circle. */
const MAX_REFERENCES = 16;

/** A member of an object or an array; its value is undefined where it isn't there. */
export function getMember({ value, pointer }: JsonLocation, name: string): JsonLocation {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return {
    value: isThere ? (value as Record<string, unknown>)[name] : undefined,
    pointer: `${pointer}/${token}`,
  };
}

/** The members of an object, or of an array; none of anything else. */
export function listMembers(place: JsonLocation): readonly JsonLocation[] {
  const { value } = place;
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).map((name) => getMember(place, name));
}

/** Follows `$ref`s that stay inside the document; what leads out of it, or nowhere, has no value. */
export function resolveReference(document: unknown, place: JsonLocation): JsonLocation {
  let found = place;
  for (let step = 0; step < MAX_REFERENCES; step++) {
    const reference = getMember(found, '$ref').value;
    if (typeof reference !== 'string') return found;
    found = placeAt(document, reference);
  }
  return { value: undefined, pointer: place.pointer };
}

function placeAt(document: unknown, reference: string): JsonLocation {
  const whole = { value: document, pointer: '' };
  if (!reference.startsWith('#/')) return { value: undefined, pointer: reference };
  return reference
    .slice('#/'.length)
    .split('/')
    .map((token) => decoded(token).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonLocation>(getMember, whole);
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
