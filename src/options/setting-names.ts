import { COMMAND_OPTIONS } from './command-options.js';
import {
  describeDefault,
  type OptionDefinition,
  type OptionGroup,
  toCamelCase,
} from './option-definition.js';

/** Settings with names of their own, such as the plural of a list, by flag. */
const NAMED_SETTINGS = new Map(
  Object.values<OptionGroup>(COMMAND_OPTIONS).flatMap((options) =>
    Object.entries(options).flatMap(([flag, { settingName }]) =>
      settingName === undefined ? [] : [[flag, settingName] as const],
    ),
  ),
);
const FLAGS_BY_NAME = new Map([...NAMED_SETTINGS].map(([flag, name]) => [name, flag]));

/** The long flag of a setting: `maxWait` is `max-wait` (docs/spec/command-line.md#configuration-order). */
export function settingToFlag(key: string): string {
  return FLAGS_BY_NAME.get(key) ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The setting of a long flag. */
export function flagToSetting(flag: string): string {
  return NAMED_SETTINGS.get(flag) ?? toCamelCase(flag);
}

/** Converts settings to arguments, keyed by flags. */
export function settingsToArgs(
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [settingToFlag(key), value]));
}

/** Replaces flags by settings in a message: `--max-wait: "soon" is …` becomes `maxWait: "soon" is …`. */
export function flagsToSettingsInMessage(message: string): string {
  return message.replace(/--([a-z][a-z0-9-]*)/g, (_, flag: string) => flagToSetting(flag));
}

/** The settings whose flags a message mentions, in the order of the message. */
export function findSettingsInMessage(message: string): readonly string[] {
  return [...message.matchAll(/--([a-z][a-z0-9-]*)/g)].map(([, flag = '']) => flagToSetting(flag));
}

/**
 * The description of a setting in the config file, or of an option of the library. They use no stream of the process, so
 * a default of `-` is left out.
 */
export function describeSetting(option: OptionDefinition): string {
  const { description, settingDescription = description } = option;
  const value = describeDefault(option);
  const hasDefault = value !== undefined && value !== '-';
  return flagsToSettingsInMessage(
    hasDefault ? `${settingDescription} (default: ${value})` : settingDescription,
  );
}
