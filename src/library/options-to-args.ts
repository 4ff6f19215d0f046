import { describeKind } from '../base/describe-kind.js';
import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import type { CommandArgs } from '../commands/arguments/command-args.js';
import { settingToFlag } from '../commands/config/setting-names.js';

/** What an option takes; several texts are those to choose from. */
export type OptionKind =
  | 'text'
  | 'number'
  | 'list'
  | 'toggle'
  | 'file'
  | 'layout'
  | 'signal'
  | readonly string[];

/** The options of a function. */
export interface OptionTable {
  readonly kinds: Readonly<Record<string, OptionKind>>;
  /** One that has to be there, unless one of the others is; and how it is written. */
  readonly required?:
    | { readonly name: string; readonly unless: readonly string[]; readonly as: string }
    | undefined;
}

/** Arguments that have another name than the option's flag: those without one, on a command line. */
const POSITIONAL: Readonly<Record<string, string>> = { paths: 'path' };

/**
 * Options of the library as the commands read them: by the long names of their flags.
 * @throws usage error for an unknown option, with the nearest known, for a value of the wrong kind, and for a lacking one.
 */
export function optionsToArgs({ kinds, required }: OptionTable, options: unknown): CommandArgs {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw usageError(`options: expected an object, found ${describeKind(options)}`);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) check(name, value, kinds);
  const names = given.map(([name]) => name);
  if (required && ![required.name, ...required.unless].some((name) => names.includes(name)))
    throw usageError(`${required.name} is missing: name it, as ${required.as}`);
  return Object.fromEntries(
    given.filter(([name]) => kinds[name] !== 'signal').map(([name, value]) => [argumentOf(name), value]),
  );
}

function argumentOf(name: string): string {
  return POSITIONAL[name] ?? settingToFlag(name);
}

function check(name: string, value: unknown, kinds: OptionTable['kinds']): void {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) {
    const known = Object.keys(kinds);
    throw usageError(
      `unknown option "${name}"${didYouMean(name, known) || `; known are ${known.join(', ')}`}`,
    );
  }
  if (typeof kind === 'object') checkChoice(name, value, kind);
  else checkKind(name, value, kind);
}

function checkKind(name: string, value: unknown, kind: keyof typeof KINDS): void {
  const { expected, fits } = KINDS[kind];
  if (!fits(value)) throw usageError(`${name}: expected ${expected}, found ${describeKind(value)}`);
  if (kind === 'file' && value === '-')
    throw usageError(`${name}: "-" is a stream of the process, which the library leaves alone; name a file`);
}

function checkChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (typeof value === 'string' && choices.includes(value)) return;
  const found = typeof value === 'string' ? `"${value}"${didYouMean(value, choices)}` : describeKind(value);
  throw usageError(`${name}: expected one of ${choices.join(', ')}, found ${found}`);
}

const isText = (value: unknown): value is string => typeof value === 'string';

const KINDS: Readonly<
  Record<Exclude<OptionKind, readonly string[]>, { readonly expected: string; fits(value: unknown): boolean }>
> = {
  text: { expected: 'a text', fits: isText },
  file: { expected: 'the path of a file or folder', fits: isText },
  number: { expected: 'a number or a text', fits: (value) => isText(value) || Number.isFinite(value) },
  list: {
    expected: 'a text or a list of texts',
    fits: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  },
  toggle: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
  layout: { expected: 'a text or a function', fits: (value) => isText(value) || typeof value === 'function' },
  signal: { expected: 'an AbortSignal', fits: (value) => value instanceof AbortSignal },
};

/** Names options in the place of flags, where an error is about what was asked for. */
export function flagsToOptionsInError(thrown: unknown, { kinds }: OptionTable): unknown {
  if (!(thrown instanceof TickhaulError) || thrown.code !== 'usage') return thrown;
  const options = new Map(Object.keys(kinds).map((name) => [argumentOf(name), name]));
  const nameOf = (flag: string): string => options.get(flag) ?? flag;
  const message = thrown.message
    .replace(
      /\bas --([a-z][a-z0-9-]*) ([^\s,;]+)/g,
      (_, flag: string, value: string) => `as ${nameOf(flag)}: '${value}'`,
    )
    .replace(/--([a-z][a-z0-9-]*)/g, (_, flag: string) => nameOf(flag))
    .replace(/^<([a-z]+)>/, (_, name: string) => nameOf(name));
  return new TickhaulError('usage', message, { cause: thrown.cause });
}
