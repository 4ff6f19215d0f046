import { TickhaulError, usageError } from '../base/errors.js';
import { describeKind, didYouMean } from '../base/text.js';
import type { CommandArgs } from '../operations/expand-home.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { LIST_OPTIONS } from '../options/day-file-options.js';
import { type OptionDefinition, type OptionGroup, settingNameOf } from '../options/option-definition.js';
import { ACCEPTED_KINDS, OPTION_TYPES } from '../options/option-types.js';
import { optionsInScope } from '../options/option-values.js';
import { CALL_OPTIONS, GLOBAL_OPTIONS } from '../options/service-options.js';

/** Service, credentials and end of a call. */
export const SERVICE_OPTIONS = optionsInScope('library', { ...GLOBAL_OPTIONS, ...CALL_OPTIONS } as const);

/** An option with the long name of its flag. */
interface FlaggedOption extends OptionDefinition {
  readonly flag: string;
}

/** An option that is required unless one of the others is given, with an example of its use. */
interface RequiredOption {
  readonly name: string;
  readonly unless?: readonly string[];
  readonly example: string;
}

/** Options of a library function. */
export interface OptionTable {
  /** Options by name. */
  readonly options: ReadonlyMap<string, FlaggedOption>;
  readonly required?: RequiredOption | undefined;
}

/** The options of a command that the library offers, with those of every function. */
function tableOf<Options extends OptionGroup>(command: Options, required?: RequiredOption) {
  const group = optionsInScope('library', { ...command, ...SERVICE_OPTIONS });
  return { group, options: byName(group), required } satisfies OptionTable & { group: OptionGroup };
}

function byName(options: OptionGroup): OptionTable['options'] {
  return new Map(
    Object.entries(options).map(([flag, option]) => [settingNameOf(flag, option), { ...option, flag }]),
  );
}

const EXCHANGE = { name: 'exchange', example: "exchange: 'deribit'" };
const SELECTED = { ...EXCHANGE, unless: [...byName(LIST_OPTIONS).keys()] };

/** Options by function. */
export const OPTION_TABLES = {
  plan: tableOf(COMMAND_OPTIONS.plan, SELECTED),
  download: tableOf(COMMAND_OPTIONS.download, SELECTED),
  sync: tableOf(COMMAND_OPTIONS.sync),
  verify: tableOf(COMMAND_OPTIONS.verify),
  convert: tableOf(COMMAND_OPTIONS.convert, {
    name: 'paths',
    unless: ['dir'],
    example: "paths: ['datasets']",
  }),
  export: tableOf(COMMAND_OPTIONS.export, { name: 'target', example: "target: 'hftbacktest'" }),
  audit: tableOf(COMMAND_OPTIONS.audit),
  coverage: tableOf(COMMAND_OPTIONS.coverage),
  replay: tableOf(COMMAND_OPTIONS.replay, EXCHANGE),
  stream: tableOf(COMMAND_OPTIONS.stream, EXCHANGE),
  exchanges: tableOf(COMMAND_OPTIONS.exchanges),
  symbols: tableOf(COMMAND_OPTIONS.symbols),
  instruments: tableOf(COMMAND_OPTIONS.instruments, EXCHANGE),
} as const;

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
