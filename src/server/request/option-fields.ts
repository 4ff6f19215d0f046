import { describeKind } from '../../base/describe-kind.js';
import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';

/** Characters of a name that nobody knows. */
const SHOWN = 40;

/** An object of a client's options. `null` counts as absent. */
export type OptionFields = Readonly<Record<string, unknown>>;

/**
 * An object with some fields; others are ignored.
 * @param where what an error begins with.
 * @param tell told of each that is ignored.
 * @throws usage error for what is no object.
 */
export function parseOptionFields(
  value: unknown,
  where: string,
  known: readonly string[],
  tell: (line: string) => void,
): OptionFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`${where}: expected an object, found ${describeKind(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    tell(`${where}: "${name.slice(0, SHOWN)}" is ignored${didYouMean(name, known)}`);
  }
  return value as OptionFields;
}

/** @throws usage error for anything but text, or where it is missing. */
export function requireText(fields: OptionFields, name: string): string {
  const value = fields[name] ?? undefined;
  if (value === undefined) throw usageError(`"${name}" is missing`);
  if (typeof value !== 'string') throw usageError(`"${name}": expected text, found ${describeKind(value)}`);
  return value;
}

/** @throws usage error for anything but true and false. */
export function readBoolean(fields: OptionFields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') {
    throw usageError(`"${name}": expected true or false, found ${describeKind(value)}`);
  }
  return value;
}

/** A list of texts; undefined where there is none. @throws usage error. */
export function readTextList(fields: OptionFields, name: string): readonly string[] | undefined {
  return readList(fields, name)?.map((item) => {
    if (typeof item === 'string') return item;
    throw usageError(`"${name}": expected a list of texts, found ${describeKind(item)} in it`);
  });
}

/** @throws usage error for what is no list. */
export function readList(fields: OptionFields, name: string): readonly unknown[] | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw usageError(`"${name}": expected a list, found ${describeKind(value)}`);
}
