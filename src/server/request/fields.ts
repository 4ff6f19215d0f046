import { usageError } from '../../base/errors.js';
import { kindOf } from '../../base/kind-of.js';
import { didYouMean } from '../../base/nearest.js';

/** Characters of a name that nobody knows. */
const SHOWN = 40;

/** An object of a client's options. `null` counts as absent. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * An object with some fields; others are ignored.
 * @param where what an error begins with.
 * @param tell told of each that is ignored.
 * @throws usage error for what is no object.
 */
export function readFields(
  value: unknown,
  where: string,
  known: readonly string[],
  tell: (line: string) => void,
): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`${where}: expected an object, found ${kindOf(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    tell(`${where}: "${name.slice(0, SHOWN)}" is ignored${didYouMean(name, known)}`);
  }
  return value as Fields;
}

/** @throws usage error for anything but text, or where it is missing. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name] ?? undefined;
  if (value === undefined) throw usageError(`"${name}" is missing`);
  if (typeof value !== 'string') throw usageError(`"${name}": expected text, found ${kindOf(value)}`);
  return value;
}

/** @throws usage error for anything but true and false. */
export function toggleOf(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') {
    throw usageError(`"${name}": expected true or false, found ${kindOf(value)}`);
  }
  return value;
}

/** A list of texts; undefined where there is none. @throws usage error. */
export function textsOf(fields: Fields, name: string): readonly string[] | undefined {
  return listOf(fields, name)?.map((item) => {
    if (typeof item === 'string') return item;
    throw usageError(`"${name}": expected a list of texts, found ${kindOf(item)} in it`);
  });
}

/** @throws usage error for what is no list. */
export function listOf(fields: Fields, name: string): readonly unknown[] | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw usageError(`"${name}": expected a list, found ${kindOf(value)}`);
}
