import type { Options, PositionalOptions } from 'yargs';
import { describeDefault, type OptionDefinition, type OptionGroup } from '../../options/option-definition.js';
import { optionsInScope } from '../../options/option-values.js';
import { GLOBAL_OPTIONS } from '../../options/service-options.js';
import type { CommandAction, Flags } from './command.js';

/** Flags and positionals of a command. */
export function defineOptions(options: OptionGroup): Required<Pick<CommandAction, 'flags' | 'positionals'>> {
  return { positionals: toPositionals(options), flags: toFlags(options) };
}

/** Positionals for yargs; the syntax of the command has their order. */
export function toPositionals(options: OptionGroup): Readonly<Record<string, PositionalOptions>> {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, { positional }]) => positional)
      .map(([name, option]) => {
        const { choices } = option;
        return [name, { type: 'string', describe: describeFlag(option), ...(choices && { choices }) }];
      }),
  );
}

/** Flags for yargs, which checks names and choices; `read-arguments.ts` parses values, to name the flag in errors. */
export function toFlags(options: OptionGroup): Flags {
  const flags = Object.entries(optionsInScope('flag', options)).filter(([, option]) => !option.positional);
  return Object.fromEntries(flags.map(([name, option]) => [name, toFlag(option)]));
}

function toFlag(option: OptionDefinition): Options {
  const { type, choices, alias, heading } = option;
  return {
    ...(type === 'flag' ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
    describe: describeFlag(option),
    ...(choices && { choices }),
    ...(alias !== undefined && { alias }),
    ...(heading !== undefined && { group: heading }),
  };
}

function describeFlag(option: OptionDefinition): string {
  const value = describeDefault(option);
  return value === undefined ? option.description : `${option.description} (default: ${value})`;
}

/** Flags of every command. */
export const GLOBAL_FLAGS = toFlags(GLOBAL_OPTIONS);

/** Flags that yargs itself handles. */
export const BUILT_IN_FLAGS: Flags = {
  help: { type: 'boolean', group: 'Everywhere:', describe: 'show this help', alias: 'h' },
  version: { type: 'boolean', group: 'Everywhere:', describe: 'show the version', alias: ['v', 'V'] },
};
