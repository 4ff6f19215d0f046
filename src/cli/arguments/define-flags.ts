import type { Options, PositionalOptions } from 'yargs';
import { describeDefault, type OptionDefinition, type OptionGroup } from '../../options/option-definition.js';
import { optionsInScope } from '../../options/option-values.js';
import type { CommandValues } from '../../options/read-options.js';
import { GLOBAL_OPTIONS } from '../../options/service-options.js';
import type { CliHost, CommandAction, CommandOutline, Flags, HelpTopics } from './command.js';

/** The command that prints help texts. */
export const HELP = 'help';

/** The name of a command, without its positionals. */
export function commandName({ syntax }: Pick<CommandOutline, 'syntax'>): string {
  return syntax.split(' ', 1).join();
}

/** The topics of `help <topic>`. */
export function topicsOf(commands: readonly CommandOutline[]): HelpTopics {
  return Object.assign({}, ...commands.map(({ topics }) => topics));
}

/** Options of a command, as flags and positionals. */
export function defineOptions(
  options: OptionGroup,
): Required<Pick<CommandAction, 'options' | 'flags' | 'positionals'>> {
  return { options, positionals: toPositionals(options), flags: toFlags(options) };
}

/** A command whose action gets its options and those of every command, read and typed. */
interface TypedAction<Options extends OptionGroup> extends Pick<CommandAction, 'examples' | 'terms'> {
  /** @returns the exit code. */
  run(options: CommandValues<Options>, cli: CliHost): Promise<number>;
}

/**
 * Defines a command.
 * @param more options that the action reads besides, such as those of a command that it calls.
 */
export function defineCommand<Options extends OptionGroup, More extends OptionGroup = Options>(
  options: Options,
  { examples, terms, run }: TypedAction<Options & More>,
  more?: More,
): CommandAction {
  return {
    ...defineOptions(options),
    examples,
    terms,
    async run(args, cli) {
      // Loaded here, since help needs no parsers.
      const { readCommandOptions } = await import('../../options/read-options.js');
      return run(readCommandOptions({ ...more, ...options } as Options & More, args), cli);
    },
  };
}

/** Positionals for yargs; the syntax of the command has their order. */
function toPositionals(options: OptionGroup): Readonly<Record<string, PositionalOptions>> {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, { positional }]) => positional)
      .map(([name, option]) => {
        const { choices } = option;
        return [name, { type: 'string', describe: describeFlag(option), ...(choices && { choices }) }];
      }),
  );
}

/** Flags for yargs, which checks names and choices; `option-types.ts` parses values, to name the flag in errors. */
function toFlags(options: OptionGroup): Flags {
  const flags = Object.entries(optionsInScope('flag', options)).filter(([, option]) => !option.positional);
  return Object.fromEntries(flags.map(([name, option]) => [name, toFlag(option)]));
}

function toFlag(option: OptionDefinition): Options {
  const { type, choices, alias, heading, describedBy } = option;
  return {
    ...(type === 'flag' ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
    describe: describeFlag(option),
    ...(choices && { choices }),
    ...(alias !== undefined && { alias }),
    ...(heading !== undefined && { group: heading }),
    ...(describedBy !== undefined && { hidden: true }),
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
  help: {
    type: 'boolean',
    group: 'Everywhere:',
    describe: 'show all flags; -h: those of most uses',
    alias: 'h',
  },
  version: { type: 'boolean', group: 'Everywhere:', describe: 'show the version', alias: ['v', 'V'] },
};
