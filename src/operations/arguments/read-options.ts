import { usageError } from '../../base/errors.js';
import { type LayoutChoice, type LayoutFunction, parseLayout } from '../../day-files/layout.js';
import type { OptionDefinition, OptionGroup } from '../../options/option-definition.js';
import { type OptionValues, valueNameOf } from '../../options/option-values.js';
import type { CommandArgs } from './command-args.js';
import {
  readBooleanFlag,
  readCount,
  readDayBound,
  readDayOrMonth,
  readDuration,
  readListFlag,
  readShard,
  readSize,
  readTextFlag,
} from './read-arguments.js';

type ReadOption = (args: CommandArgs, flag: string) => unknown;

/** Readers by type of option. Options of other types are read one by one. */
const READERS: Readonly<Partial<Record<OptionDefinition['type'], ReadOption>>> = {
  flag: readBooleanFlag,
  text: readTextFlag,
  choice: readTextFlag,
  list: readListFlag,
  count: (args, flag) => readCount(args, flag, 0),
  concurrency: (args, flag) => (readTextFlag(args, flag) === 'auto' ? 'auto' : readCount(args, flag, 1, 100)),
  day: readDayBound,
  'day-or-month': readDayOrMonth,
  days: readDays,
  duration: readDuration,
  size: readSize,
  layout: readLayout,
  shard: readShard,
};

/**
 * Reads options by their definitions, and adds their defaults. Durations are read as milliseconds, sizes as bytes.
 * @throws usage error for an invalid value, so before any request.
 */
export function readOptions<Options extends OptionGroup>(
  args: CommandArgs,
  options: Options,
): OptionValues<Options> {
  const values = Object.entries(options).map(([flag, option]) => {
    const { type, default: defaultValue } = option;
    const read = READERS[type];
    if (!read) throw new Error(`no generic reader for options of type ${type}; read this option separately`);
    const value = read(args[flag] === undefined ? { [flag]: defaultValue } : args, flag);
    return [valueNameOf(flag, option), value];
  });
  return Object.fromEntries(values) as OptionValues<Options>;
}

/** A hundred years. */
const MAX_DAYS = 36_500;

/** A number of days. @throws usage error. */
export function readDays(args: CommandArgs, flag: string): number | undefined {
  const text = readTextFlag(args, flag);
  if (text === undefined) return undefined;
  const count = Number(/^(\d+)d?$/.exec(text)?.[1] ?? 0);
  if (count > MAX_DAYS) throw usageError(`--${flag}: "${text}" is too many days, at most ${MAX_DAYS}d`);
  if (count >= 1) return count;
  throw usageError(`--${flag}: "${text}" is not a number of days: write 7d for the last seven`);
}

/** A layout: text from a flag, or a function from the library. @throws usage error. */
export function readLayout(args: CommandArgs, flag: string): LayoutChoice | undefined {
  const layout = args[flag];
  const choice = typeof layout === 'function' ? (layout as LayoutFunction) : readTextFlag(args, flag);
  if (choice !== undefined) parseLayout(choice);
  return choice;
}
