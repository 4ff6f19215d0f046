/** A value as `JSON.parse` of its JSON gives it: without what is undefined. */
export function toJsonValue<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
