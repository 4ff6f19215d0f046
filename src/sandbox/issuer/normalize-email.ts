const MAX_LENGTH = 254;

/** Returns the address in lower case, for comparison; undefined if it is not an e-mail address. */
export function normalizeEmail(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value) ? value.toLowerCase() : undefined;
}
