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

/** Options of each function of the library. */
export const LIBRARY_OPTIONS = {
  plan: optionsInScope('library', { ...COMMAND_OPTIONS.plan, ...SERVICE_OPTIONS } as const),
  download: optionsInScope('library', { ...COMMAND_OPTIONS.download, ...SERVICE_OPTIONS } as const),
  sync: optionsInScope('library', { ...COMMAND_OPTIONS.sync, ...SERVICE_OPTIONS } as const),
  verify: optionsInScope('library', { ...COMMAND_OPTIONS.verify, ...SERVICE_OPTIONS } as const),
  convert: optionsInScope('library', { ...COMMAND_OPTIONS.convert, ...SERVICE_OPTIONS } as const),
  export: optionsInScope('library', { ...COMMAND_OPTIONS.export, ...SERVICE_OPTIONS } as const),
  audit: optionsInScope('library', { ...COMMAND_OPTIONS.audit, ...SERVICE_OPTIONS } as const),
  coverage: optionsInScope('library', { ...COMMAND_OPTIONS.coverage, ...SERVICE_OPTIONS } as const),
  replay: optionsInScope('library', { ...COMMAND_OPTIONS.replay, ...SERVICE_OPTIONS } as const),
  stream: optionsInScope('library', { ...COMMAND_OPTIONS.stream, ...SERVICE_OPTIONS } as const),
  exchanges: optionsInScope('library', { ...COMMAND_OPTIONS.exchanges, ...SERVICE_OPTIONS } as const),
  symbols: optionsInScope('library', { ...COMMAND_OPTIONS.symbols, ...SERVICE_OPTIONS } as const),
  instruments: optionsInScope('library', { ...COMMAND_OPTIONS.instruments, ...SERVICE_OPTIONS } as const),
} as const;

/** An option with the long name of its flag. */
interface FlaggedOption extends OptionDefinition {
  readonly flag: string;
}

/** Options of a library function. */
export interface OptionTable {
  /** Options by name. */
  readonly options: ReadonlyMap<string, FlaggedOption>;
  /** An option that is required unless one of the others is given, with an example of its use. */
  readonly required?:
    | { readonly name: string; readonly unless?: readonly string[]; readonly example: string }
    | undefined;
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
  plan: { options: byName(LIBRARY_OPTIONS.plan), required: SELECTED },
  download: { options: byName(LIBRARY_OPTIONS.download), required: SELECTED },
  sync: { options: byName(LIBRARY_OPTIONS.sync) },
  verify: { options: byName(LIBRARY_OPTIONS.verify) },
  convert: {
    options: byName(LIBRARY_OPTIONS.convert),
    required: { name: 'paths', unless: ['dir'], example: "paths: ['datasets']" },
  },
  export: {
    options: byName(LIBRARY_OPTIONS.export),
    required: { name: 'target', example: "target: 'hftbacktest'" },
  },
  audit: { options: byName(LIBRARY_OPTIONS.audit) },
  coverage: { options: byName(LIBRARY_OPTIONS.coverage) },
  replay: { options: byName(LIBRARY_OPTIONS.replay), required: EXCHANGE },
  stream: { options: byName(LIBRARY_OPTIONS.stream), required: EXCHANGE },
  exchanges: { options: byName(LIBRARY_OPTIONS.exchanges) },
  symbols: { options: byName(LIBRARY_OPTIONS.symbols) },
  instruments: { options: byName(LIBRARY_OPTIONS.instruments), required: EXCHANGE },
} as const satisfies Readonly<Record<keyof typeof LIBRARY_OPTIONS, OptionTable>>;

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
