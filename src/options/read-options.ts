import type { OptionDefinition, OptionGroup } from './option-definition.js';
import { OPTION_TYPES } from './option-types.js';
import { type GivenFlags, type ReadOptions, valueNameOf } from './option-values.js';
import { RUN_OPTIONS } from './service-options.js';

/** Options as a user gave them, by the long names of their flags. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/** Name of an option in errors. */
export type NameOption = (flag: string, option: OptionDefinition) => string;

/** `--max-wait`, or `<path>` of an argument. */
const nameAsFlag: NameOption = (flag, { positional }) => (positional ? `<${flag}>` : `--${flag}`);

/**
 * Reads options by their definitions into a typed value, with their defaults: words of a command line, settings of a
 * config file and options of the library alike.
 * @param nameOf name of an option in errors: where and how the user wrote it.
 * @throws usage error for an invalid value, so before any request.
 */
export function readOptions<Options extends OptionGroup>(
  options: Options,
  given: GivenOptions,
  nameOf: NameOption = nameAsFlag,
): ReadOptions<Options> {
  const values = Object.entries(options).map(([flag, option]) => [
    valueNameOf(flag, option),
    readOption(option, given[flag], nameOf(flag, option)),
  ]);
  const flags = new Set(Object.keys(options).filter((flag) => isGiven(given[flag])));
  return { ...Object.fromEntries(values), given: flags } as ReadOptions<Options>;
}

/** The options of a command, and those of every command. */
export type CommandValues<Options extends OptionGroup> = ReadOptions<Options> &
  ReadOptions<typeof RUN_OPTIONS>;

/** Reads the options of a command, and those of every command. @throws as `readOptions` does. */
export function readCommandOptions<Options extends OptionGroup>(
  options: Options,
  given: GivenOptions,
  nameOf?: NameOption,
): CommandValues<Options> {
  return readOptions({ ...RUN_OPTIONS, ...options }, given, nameOf) as unknown as CommandValues<Options>;
}

/** The value of one option, or its default. @param name in errors. @throws usage error for an invalid value. */
export function readOption(option: OptionDefinition, given: unknown, name: string): unknown {
  const value = isGiven(given) ? given : option.default;
  if (value === undefined && option.type !== 'flag') return undefined;
  return OPTION_TYPES[option.type].read(value, name, option);
}

/** Whether a value was given; yargs has a list without values for absent arguments. */
function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.some((item) => item !== undefined) : value !== undefined;
}

/** Values of which those that were given replace those of a base, as flags replace settings of a file. */
export function overrideOptions<Options extends OptionGroup>(
  options: Options,
  base: ReadOptions<Options>,
  values: { readonly given: GivenFlags },
): ReadOptions<Options> {
  const [read, other]: Readonly<Record<string, unknown>>[] = [{ ...base }, { ...values }];
  const flags = Object.entries(options);
  const replaced = flags.map(([flag, option]) => {
    const name = valueNameOf(flag, option);
    return [name, (values.given.has(flag) ? other : read)?.[name]];
  });
  const given = new Set(
    flags.map(([flag]) => flag).filter((flag) => values.given.has(flag) || base.given.has(flag)),
  );
  return { ...Object.fromEntries(replaced), given } as ReadOptions<Options>;
}

/** The values of some of the options that were read, such as those of a plan. */
export function pickOptions<Options extends OptionGroup>(
  options: Options,
  values: ReadOptions<Options>,
): Omit<ReadOptions<Options>, 'given'> {
  const names = Object.entries(options).map(([flag, option]) => valueNameOf(flag, option));
  const read: Readonly<Record<string, unknown>> = values;
  return Object.fromEntries(names.map((name) => [name, read[name]])) as Omit<ReadOptions<Options>, 'given'>;
}
