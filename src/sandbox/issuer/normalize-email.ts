const MAX_LENGTH = 254;

/** The address in the form it is compared in; undefined where it is none. */
export function normalizeEmail(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value) ? value.toLowerCase() : undefined;
}
