import { parseShallowJson } from '../../base/json-depth.js';
/** Filter fields by the service's names; values are texts, lists of texts, or a boolean for `active`. */
export type InstrumentFilter = Readonly<Record<string, unknown>>;

/** Parses a filter; undefined if the text is no JSON object. */
export function parseInstrumentFilter(text: string): InstrumentFilter | undefined {
  try {
    const filter: unknown = parseShallowJson(text);
    const isObject = typeof filter === 'object' && filter !== null && !Array.isArray(filter);
    return isObject ? { ...filter } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether an instrument matches (`docs/spec/metadata-api.md#instruments`). Both days of a filter together select by
 * overlap; `availableTo` alone selects what is available on that day.
 */
export function matchesFilter(
  instrument: Readonly<Record<string, unknown>>,
  { availableSince: from, availableTo: to, ...fields }: InstrumentFilter,
): boolean {
  const since = String(instrument['availableSince']).slice(0, 10);
  const until = String(instrument['availableTo'] ?? '9999');
  return (
    (from === undefined || until > String(from)) &&
    (to === undefined ||
      (from === undefined ? since <= String(to) && until > String(to) : since < String(to))) &&
    Object.entries(fields).every(([field, expected]) => {
      const value = instrument[field];
      return Array.isArray(expected) ? expected.includes(value) : value === expected;
    })
  );
}
