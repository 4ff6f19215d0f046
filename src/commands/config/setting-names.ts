import type { CommandArgs } from '../arguments/command-args.js';

/** Settings that are lists, and so are named in the plural. */
const FLAG_OF: Readonly<Record<string, string>> = {
  channels: 'channel',
  types: 'type',
  symbols: 'symbol',
  symbolTypes: 'symbol-type',
};
const KEY_OF = Object.fromEntries(Object.entries(FLAG_OF).map(([key, flag]) => [flag, key]));

/** The long flag of a setting: `maxWait` is `max-wait` (contract, Sync). */
export function settingToFlag(key: string): string {
  return FLAG_OF[key] ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The setting of a long flag. */
export function flagToSetting(flag: string): string {
  return KEY_OF[flag] ?? flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Settings as if they had been given as flags. */
export function settingsToArgs(settings: Readonly<Record<string, unknown>>): CommandArgs {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [settingToFlag(key), value]));
}

/** A message about flags as one about settings: `--max-wait: "soon" is …` becomes `maxWait: "soon" is …`. */
export function flagsToSettingsInMessage(message: string): string {
  return message.replace(/--([a-z][a-z0-9-]*)/g, (_, flag: string) => flagToSetting(flag));
}

/** The settings that a message about flags speaks of, in its order. */
export function findSettingsInMessage(message: string): readonly string[] {
  return [...message.matchAll(/--([a-z][a-z0-9-]*)/g)].map(([, flag = '']) => flagToSetting(flag));
}
