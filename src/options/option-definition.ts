import type { OptionLimits, OptionType } from './option-types.js';

export type { OptionType };

/** Interface that offers an option: the command line, the config file, the library. */
export type OptionScope = 'flag' | 'config' | 'library';

/** An option, as plain data. Its key in a group is the long name of its flag. */
export interface OptionDefinition extends OptionLimits {
  readonly type: OptionType;
  /** Noun phrase or imperative in lower case, without the default. */
  readonly description: string;
  /** Description for config file and library, if the words for the flag do not apply there. */
  readonly settingDescription?: string;
  /** Value of an absent option, as a user writes it. */
  readonly default?: string;
  /** Describes the default if it is not one fixed value. */
  readonly defaultText?: string;
  /** Values of a `choice`. */
  readonly choices?: readonly [string, ...string[]];
  /** Letters of the flag; further names are options of their own. */
  readonly alias?: string | readonly string[];
  /** Name in config file and library; by default the key in camelCase. */
  readonly settingName?: string;
  /** Interfaces that have the option; by default all. */
  readonly scopes?: readonly OptionScope[];
  /** The library and the config file require the option. */
  readonly required?: true;
  /** An argument of the command line instead of a flag. */
  readonly positional?: true;
  /** The whole process uses the value, so it belongs to no plan. */
  readonly perProcess?: true;
  /** Heading of the help. */
  readonly heading?: string;
  /** The command whose help describes the flag; others only name it. */
  readonly describedBy?: string;
}

/** Options by the long names of their flags, in the order of the help. */
export type OptionGroup = Readonly<Record<string, OptionDefinition>>;

/** Puts options under one heading of the help. */
export function groupOptions<const T extends OptionGroup>(heading: string, options: T): T {
  return withProperty({ heading }, options);
}

/** Marks options that the help of another command describes. */
export function describedBy<const T extends OptionGroup>(command: string, options: T): T {
  return withProperty({ describedBy: command }, options);
}

function withProperty<T extends OptionGroup>(property: Partial<OptionDefinition>, options: T): T {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { ...option, ...property }]),
  ) as unknown as T;
}

/** Name of an option in config file and library: `max-wait` is `maxWait`. */
export function settingNameOf(flag: string, { settingName }: OptionDefinition): string {
  return settingName ?? toCamelCase(flag);
}

/** `max-wait` in camelCase. */
export function toCamelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The default in words; undefined if an absent option has no effect. */
export function describeDefault({
  default: value,
  defaultText,
}: Pick<OptionDefinition, 'default' | 'defaultText'>): string | undefined {
  return value ?? defaultText;
}
