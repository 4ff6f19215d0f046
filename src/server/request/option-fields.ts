import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { describeKind } from '../../base/text.js';

/** Maximum number of characters shown of an unknown name. */
const MAX_SHOWN_LENGTH = 40;

/** Fields of a client's options; `null` counts as absent. */
export type OptionFields = Readonly<Record<string, unknown>>;

/**
 * Checks that options are an object and warns of unknown fields, which are ignored.
 * @param where prefix of messages.
 * @param warn called for each ignored field.
 * @throws usage error if the value is not an object.
 */
export function parseOptionFields(
  value: unknown,
  where: string,
  known: readonly string[],
  warn: (line: string) => void,
): OptionFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`${where}: expected an object, found ${describeKind(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    warn(`${where}: "${name.slice(0, MAX_SHOWN_LENGTH)}" is ignored${didYouMean(name, known)}`);
  }
  return value as OptionFields;
}

/** @throws usage error if the field is missing or not a text. */
export function requireText(fields: OptionFields, name: string): string {
  const value = fields[name] ?? undefined;
  if (value === undefined) throw usageError(`"${name}" is missing`);
  if (typeof value !== 'string') throw usageError(`"${name}": expected text, found ${describeKind(value)}`);
  return value;
}

/** Reads a boolean; false if absent. @throws usage error for other values. */
export function readBoolean(fields: OptionFields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') {
    throw usageError(`"${name}": expected true or false, found ${describeKind(value)}`);
  }
  return value;
}

/** Reads a list of texts; undefined if absent. @throws usage error for other values. */
export function readTextList(fields: OptionFields, name: string): readonly string[] | undefined {
  return readList(fields, name)?.map((item) => {
    if (typeof item === 'string') return item;
    throw usageError(`"${name}": expected a list of texts, found ${describeKind(item)} in it`);
  });
}

/** Reads a list; undefined if absent. @throws usage error for other values. */
export function readList(fields: OptionFields, name: string): readonly unknown[] | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw usageError(`"${name}": expected a list, found ${describeKind(value)}`);
}
