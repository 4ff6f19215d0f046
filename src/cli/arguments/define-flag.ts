import type { Options } from 'yargs';
import type { Flags } from './command.js';

/** A flag with a value. `read-arguments.ts` parses it, so that each error names its flag. */
export const valueFlag = (describe: string, more: Options = {}): Options => ({
  type: 'string',
  requiresArg: true,
  describe,
  ...more,
});
/** A flag without a value. */
export const booleanFlag = (describe: string, more: Options = {}): Options => ({
  type: 'boolean',
  describe,
  ...more,
});

/** Groups flags under one heading of the help. */
export const groupFlags = <T extends Flags>(group: string, flags: T): T =>
  Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }])) as unknown as T;
