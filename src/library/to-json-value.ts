/** Copies a value through JSON, which drops undefined fields. */
export function toJsonValue<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
