import { parseDuration, parseSize } from '../base/units.js';
import type { LayoutChoice } from '../day-files/layout.js';
import type { Shard } from '../day-files/shard.js';
import {
  type OptionDefinition,
  type OptionGroup,
  type OptionScope,
  settingNameOf,
} from './option-definition.js';

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Name of an option in config file and library. */
export type SettingName<Flag extends string, Option extends OptionDefinition> = Option extends {
  readonly settingName: infer Name extends string;
}
  ? Name
  : CamelCase<Flag>;

/** Names of options in config file and library. */
export type SettingNames<Options extends OptionGroup> = {
  [Flag in keyof Options & string]: SettingName<Flag, Options[Flag]>;
}[keyof Options & string];

/** Name of a read option: that of the setting, with the unit of a duration. */
type ValueName<Flag extends string, Option extends OptionDefinition> = Option['type'] extends 'duration'
  ? `${SettingName<Flag, Option>}Ms`
  : SettingName<Flag, Option>;

/** Values by type of option; durations are milliseconds, sizes are bytes. */
interface ValuesByType {
  readonly flag: boolean;
  readonly text: string;
  readonly list: readonly string[];
  readonly count: number;
  readonly concurrency: number | 'auto';
  readonly day: string;
  readonly 'day-or-month': string;
  readonly days: number;
  readonly duration: number;
  readonly size: number;
  readonly layout: LayoutChoice;
  readonly shard: Shard;
}

/** Types of options that `readOptions` reads. Other types have readers of their own. */
export type ReadableType = keyof ValuesByType | 'choice';

type ValueOf<Option extends OptionDefinition> = Option extends {
  readonly choices: readonly (infer Choice)[];
}
  ? Choice
  : ValuesByType[Option['type'] & keyof ValuesByType];

type AlwaysSet = { readonly type: 'flag' } | { readonly default: string } | { readonly required: true };

type Merged<T> = { readonly [Name in keyof T]: T[Name] };

/** Values of options as the code uses them. Those without a default may be undefined. */
export type OptionValues<Options extends OptionGroup> = Merged<
  {
    readonly [Flag in keyof Options & string as Options[Flag] extends AlwaysSet
      ? ValueName<Flag, Options[Flag]>
      : never]: ValueOf<Options[Flag]>;
  } & {
    readonly [Flag in keyof Options & string as Options[Flag] extends AlwaysSet
      ? never
      : ValueName<Flag, Options[Flag]>]?: ValueOf<Options[Flag]> | undefined;
  }
>;

/** The options that belong to a plan rather than to the whole process. */
export type PlanOptionsOf<Options extends OptionGroup> = {
  readonly [Flag in keyof Options as Options[Flag] extends { readonly perProcess: true }
    ? never
    : Flag]: Options[Flag];
};

/** Selects the options that belong to a plan. */
export function planOptionsOf<Options extends OptionGroup>(options: Options): PlanOptionsOf<Options> {
  return Object.fromEntries(
    Object.entries(options).filter(([, { perProcess }]) => !perProcess),
  ) as unknown as PlanOptionsOf<Options>;
}

/** Name of the value of an option: that of the setting, with the unit of a duration. */
export function valueNameOf(flag: string, option: OptionDefinition): string {
  const name = settingNameOf(flag, option);
  return option.type === 'duration' ? `${name}Ms` : name;
}

/** The value of an absent option; undefined if it has no default. */
export function defaultValueOf({ type, default: text }: OptionDefinition): unknown {
  if (type === 'flag') return false;
  if (text === undefined) return undefined;
  if (type === 'duration') return parseDuration(text);
  if (type === 'size') return parseSize(text);
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** The options that an interface offers. */
export type OptionsInScope<Scope extends OptionScope, Options extends OptionGroup> = {
  readonly [Flag in keyof Options as Options[Flag] extends { readonly scopes: readonly (infer Scopes)[] }
    ? Scope extends Scopes
      ? Flag
      : never
    : Flag]: Options[Flag];
};

/** Selects the options that an interface offers. */
export function optionsInScope<Scope extends OptionScope, Options extends OptionGroup>(
  scope: Scope,
  options: Options,
): OptionsInScope<Scope, Options> {
  return Object.fromEntries(
    Object.entries(options).filter(([, { scopes }]) => scopes?.includes(scope) ?? true),
  ) as unknown as OptionsInScope<Scope, Options>;
}
