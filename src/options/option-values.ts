import {
  type OptionDefinition,
  type OptionGroup,
  type OptionScope,
  settingNameOf,
} from './option-definition.js';
import type { TimeSpanType, ValueOfType } from './option-types.js';

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
type ValueName<Flag extends string, Option extends OptionDefinition> = Option['type'] extends TimeSpanType
  ? `${SettingName<Flag, Option>}Ms`
  : SettingName<Flag, Option>;

type ValueOf<Option extends OptionDefinition> = Option extends {
  readonly choices: readonly (infer Choice)[];
}
  ? Choice
  : ValueOfType<Option['type']>;

type Defaulted = { readonly type: 'flag' } | { readonly default: string };
type AlwaysSet = Defaulted | { readonly required: true };

type Merged<T> = { readonly [Name in keyof T]: T[Name] };

type Values<Options extends OptionGroup, Set> = Merged<
  {
    readonly [Flag in keyof Options & string as Options[Flag] extends Set
      ? ValueName<Flag, Options[Flag]>
      : never]: ValueOf<Options[Flag]>;
  } & {
    readonly [Flag in keyof Options & string as Options[Flag] extends Set
      ? never
      : ValueName<Flag, Options[Flag]>]?: ValueOf<Options[Flag]> | undefined;
  }
>;

/** Values of options as the code uses them. Those without a default may be undefined. */
export type OptionValues<Options extends OptionGroup> = Values<Options, AlwaysSet>;

/** Which options were given, by the long names of their flags; the others have their defaults. */
export interface GivenFlags<Flag extends string = string> {
  has(flag: Flag): boolean;
}

/**
 * Values of options as they were read, before the command has checked which of them it requires, with the knowledge of
 * which were given.
 */
export type ReadOptions<Options extends OptionGroup> = Values<Options, Defaulted> & {
  readonly given: GivenFlags<keyof Options & string>;
};

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
  return option.type === 'duration' || option.type === 'timer' ? `${name}Ms` : name;
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
