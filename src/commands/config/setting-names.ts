import type { CommandArgs } from '../arguments/command-args.js';

/** Settings that are lists have plural names, unlike their flags. */
const PLURAL_SETTING_FLAGS: Readonly<Record<string, string>> = {
  channels: 'channel',
  types: 'type',
  symbols: 'symbol',
  symbolTypes: 'symbol-type',
};
const PLURAL_SETTING_KEYS = Object.fromEntries(
  Object.entries(PLURAL_SETTING_FLAGS).map(([key, flag]) => [flag, key]),
);

/** The long flag of a setting: `maxWait` is `max-wait` (docs/spec/command-line.md#configuration-order). */
export function settingToFlag(key: string): string {
  return PLURAL_SETTING_FLAGS[key] ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The setting of a long flag. */
export function flagToSetting(flag: string): string {
  return PLURAL_SETTING_KEYS[flag] ?? flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts settings to arguments, keyed by flags. */
export function settingsToArgs(settings: Readonly<Record<string, unknown>>): CommandArgs {
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
