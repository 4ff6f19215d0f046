/** Describes a value without showing it: a value in the wrong place may be a secret. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a group of settings';
  const kinds = { string: 'a text', number: 'a number', boolean: 'true or false', function: 'a function' };
  return kinds[typeof value as keyof typeof kinds] ?? 'this';
}
