import { describeKind } from '../base/describe-kind.js';
import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import type { CommandArgs } from '../commands/arguments/command-args.js';
import { settingToFlag } from '../commands/config/setting-names.js';

/** Kind of value that an option takes; a list of strings is a list of choices. */
export type OptionKind =
  | 'text'
  | 'number'
  | 'list'
  | 'toggle'
  | 'file'
  | 'layout'
  | 'signal'
  | readonly string[];

/** Options of a library function. */
export interface OptionTable {
  readonly kinds: Readonly<Record<string, OptionKind>>;
  /** An option that is required unless one of the others is given, with an example of its use. */
  readonly required?:
    | { readonly name: string; readonly unless: readonly string[]; readonly example: string }
    | undefined;
}

/** Options that are positional arguments on the command line. */
const POSITIONAL: Readonly<Record<string, string>> = { paths: 'path' };

/**
 * Converts library options to command arguments, keyed by the long names of the flags.
 * @throws usage error for an unknown option (with the nearest known), a value of the wrong kind, a missing option.
 */
export function optionsToArgs({ kinds, required }: OptionTable, options: unknown): CommandArgs {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw usageError(`options: expected an object, found ${describeKind(options)}`);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) assertKnownOption(name, value, kinds);
  const names = given.map(([name]) => name);
  if (required && ![required.name, ...required.unless].some((name) => names.includes(name)))
    throw usageError(`${required.name} is missing: name it, such as ${required.example}`);
  return Object.fromEntries(
    given.filter(([name]) => kinds[name] !== 'signal').map(([name, value]) => [toArgumentName(name), value]),
  );
}

function toArgumentName(name: string): string {
  return POSITIONAL[name] ?? settingToFlag(name);
}

function assertKnownOption(name: string, value: unknown, kinds: OptionTable['kinds']): void {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) {
    const known = Object.keys(kinds);
    throw usageError(
      `unknown option "${name}"${didYouMean(name, known) || `; known are ${known.join(', ')}`}`,
    );
  }
  if (typeof kind === 'object') assertChoice(name, value, kind);
  else assertKind(name, value, kind);
}

function assertKind(name: string, value: unknown, kind: keyof typeof KINDS): void {
  const { expected, isValid } = KINDS[kind];
  if (!isValid(value)) throw usageError(`${name}: expected ${expected}, found ${describeKind(value)}`);
  if (kind === 'file' && value === '-')
    throw usageError(`${name}: "-" is a stream of the process, which the library does not use; name a file`);
}

function assertChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (typeof value === 'string' && choices.includes(value)) return;
  const found = typeof value === 'string' ? `"${value}"${didYouMean(value, choices)}` : describeKind(value);
  throw usageError(`${name}: expected one of ${choices.join(', ')}, found ${found}`);
}

const isText = (value: unknown): value is string => typeof value === 'string';

const KINDS: Readonly<
  Record<
    Exclude<OptionKind, readonly string[]>,
    { readonly expected: string; isValid(value: unknown): boolean }
  >
> = {
  text: { expected: 'a text', isValid: isText },
  file: { expected: 'the path of a file or folder', isValid: isText },
  number: { expected: 'a number or a text', isValid: (value) => isText(value) || Number.isFinite(value) },
  list: {
    expected: 'a text or a list of texts',
    isValid: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  },
  toggle: { expected: 'true or false', isValid: (value) => typeof value === 'boolean' },
  layout: {
    expected: 'a text or a function',
    isValid: (value) => isText(value) || typeof value === 'function',
  },
  signal: { expected: 'an AbortSignal', isValid: (value) => value instanceof AbortSignal },
};

/** Replaces flags by option names in usage errors. */
export function flagsToOptionsInError(thrown: unknown, { kinds }: OptionTable): unknown {
  if (!(thrown instanceof TickhaulError) || thrown.code !== 'usage') return thrown;
  const options = new Map(Object.keys(kinds).map((name) => [toArgumentName(name), name]));
  const toOptionName = (flag: string): string => options.get(flag) ?? flag;
  const message = thrown.message
    .replace(
      /\bas --([a-z][a-z0-9-]*) ([^\s,;]+)/g,
      (_, flag: string, value: string) => `as ${toOptionName(flag)}: '${value}'`,
    )
    .replace(/--([a-z][a-z0-9-]*)/g, (_, flag: string) => toOptionName(flag))
    .replace(/^<([a-z]+)>/, (_, name: string) => toOptionName(name));
  return new TickhaulError('usage', message, { cause: thrown.cause });
}
