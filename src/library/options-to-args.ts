import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import { describeKind } from '../base/text.js';
import type { CommandArgs } from '../operations/expand-home.js';
import { ACCEPTED_KINDS, OPTION_TYPES } from '../options/option-types.js';
import type { FlaggedOption, OptionTable } from './option-tables.js';

/**
 * Converts library options to command arguments, keyed by the long names of the flags.
 * @throws usage error for an unknown option (with the nearest known), a value of the wrong kind, a missing option.
 */
export function optionsToArgs({ options, required }: OptionTable, values: unknown): CommandArgs {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw usageError(`options: expected an object, found ${describeKind(values)}`);
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const args = given.flatMap(([name, value]) => {
    const option = findOption(name, options);
    assertValue(name, value, option);
    return option.type === 'signal' ? [] : [[option.flag, value] as const];
  });
  const names = given.map(([name]) => name);
  if (required && ![required.name, ...(required.unless ?? [])].some((name) => names.includes(name)))
    throw usageError(`${required.name} is required, for example ${required.example}`);
  return Object.fromEntries(args);
}

function findOption(name: string, options: OptionTable['options']): FlaggedOption {
  const option = options.get(name);
  if (option) return option;
  const known = [...options.keys()];
  throw usageError(
    `unknown option "${name}"${didYouMean(name, known) || `; valid options: ${known.join(', ')}`}`,
  );
}

function assertValue(name: string, value: unknown, { type, choices }: FlaggedOption): void {
  if (type === 'choice') {
    assertChoice(name, value, choices ?? []);
    return;
  }
  const { expected, isValid } = ACCEPTED_KINDS[OPTION_TYPES[type].accepts];
  if (!isValid(value)) throw usageError(`${name}: expected ${expected}, found ${describeKind(value)}`);
  if (value === '-' && (type === 'file' || type === 'folder'))
    throw usageError(
      `${name}: "-" is a stream of the process, which the library does not use; specify a file`,
    );
}

function assertChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (typeof value === 'string' && choices.includes(value)) return;
  const found = typeof value === 'string' ? `"${value}"${didYouMean(value, choices)}` : describeKind(value);
  throw usageError(`${name}: expected one of ${choices.join(', ')}, found ${found}`);
}

/** Replaces flags by option names in usage errors. */
export function flagsToOptionsInError(thrown: unknown, { options }: OptionTable): unknown {
  if (!(thrown instanceof TickhaulError) || thrown.code !== 'usage') return thrown;
  const names = new Map([...options].map(([name, { flag }]) => [flag, name]));
  const toOptionName = (flag: string): string => names.get(flag) ?? flag;
  const message = thrown.message
    .replace(
      /\bas --([a-z][a-z0-9-]*) ([^\s,;]+)/g,
      (_, flag: string, value: string) => `as ${toOptionName(flag)}: '${value}'`,
    )
    .replace(/--([a-z][a-z0-9-]*)/g, (_, flag: string) => toOptionName(flag))
    .replace(/^<([a-z]+)>/, (_, name: string) => toOptionName(name));
  return new TickhaulError('usage', message, { cause: thrown.cause });
}
