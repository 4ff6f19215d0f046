import type { Options } from 'yargs';
import { VERSION } from '../../base/version.js';
import {
  type Command,
  type CommandOutline,
  commandName,
  type Flags,
  HELP_OUTLINE,
} from '../arguments/command.js';
import { BUILT_IN_FLAGS, GLOBAL_FLAGS } from '../arguments/define-flags.js';
import { ALL_EXIT_CODES, EXIT_CODES, type ExitCode, listExitCodes } from './exit-codes.js';

/** A positional argument of a command. */
export interface ArgumentDescription {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** Whether it takes several values. */
  readonly repeated: boolean;
  readonly choices?: readonly string[];
}

/** A flag, by its long name without dashes. */
export interface FlagDescription {
  readonly name: string;
  readonly aliases: readonly string[];
  /** `boolean` flags have no value. */
  readonly type: string;
  readonly description: string;
  /** Heading of the help that lists the flag. */
  readonly group: string;
  /** Only if the definition states it as a value; many descriptions state it as text. */
  readonly default?: unknown;
  readonly choices?: readonly string[];
}

/** A command as `help <command> --json` prints it. */
export interface CommandDescription {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly ArgumentDescription[];
  readonly flags: readonly FlagDescription[];
  readonly globalFlags: readonly FlagDescription[];
  readonly examples: readonly { readonly command: string; readonly description: string }[];
  readonly exitCodes: readonly { readonly code: number; readonly meaning: string }[];
  /** Set if the command can end with codes of another program. */
  readonly exitCodeNote?: string;
}

/** All commands as `help --json` prints them. */
export interface ProgramDescription {
  readonly name: string;
  readonly version: string;
  readonly commands: readonly Pick<CommandDescription, 'name' | 'usage' | 'description'>[];
  readonly globalFlags: readonly FlagDescription[];
  readonly exitCodes: CommandDescription['exitCodes'];
}

const PROGRAM = 'tickhaul';

/** Turns the outlines of all commands into plain data, without loading their code. */
export function describeProgram(commands: readonly CommandOutline[]): ProgramDescription {
  return {
    name: PROGRAM,
    version: VERSION,
    commands: [...commands, HELP_OUTLINE].map(describeOutline),
    globalFlags: describeGlobalFlags(),
    exitCodes: describeExitCodes(ALL_EXIT_CODES),
  };
}

/** Turns the definition of a command into plain data. */
export function describeCommand(command: Command): CommandDescription {
  const { codes, note } = listExitCodes(commandName(command));
  return {
    ...describeOutline(command),
    arguments: describeArguments(command),
    flags: describeFlags(command.flags),
    globalFlags: describeGlobalFlags(),
    examples: command.examples.map(([line, description]) => ({
      command: line.replaceAll('$0', PROGRAM),
      description,
    })),
    exitCodes: describeExitCodes(codes),
    ...(note === undefined ? {} : { exitCodeNote: note }),
  };
}

function describeOutline(
  outline: Pick<CommandOutline, 'syntax' | 'describe'>,
): Pick<CommandDescription, 'name' | 'usage' | 'description'> {
  const { syntax, describe: description } = outline;
  return { name: commandName(outline), usage: `${PROGRAM} ${syntax}`, description };
}

/** The syntax says which arguments there are: `<required>`, `[optional]`, `<repeated..>`. */
function describeArguments({ syntax, positionals = {} }: Command): readonly ArgumentDescription[] {
  return [...syntax.matchAll(/([<[])([\w-]+)(\.\.)?/g)].map(([, bracket, name = '', dots]) => ({
    name,
    description: positionals[name]?.describe ?? '',
    required: bracket === '<',
    repeated: dots !== undefined,
    ...describeChoices(positionals[name]?.choices),
  }));
}

function describeGlobalFlags(): readonly FlagDescription[] {
  return describeFlags({ ...GLOBAL_FLAGS, ...BUILT_IN_FLAGS });
}

function describeFlags(flags: Flags): readonly FlagDescription[] {
  return Object.entries(flags).map(([name, flag]) => ({
    name,
    aliases: [flag.alias ?? []].flat(),
    type: flag.type ?? 'string',
    description: flag.describe ?? '',
    group: (flag.group ?? '').replace(/:$/, ''),
    ...('default' in flag ? { default: flag.default } : {}),
    ...describeChoices(flag.choices),
  }));
}

function describeChoices(choices: Options['choices']): { readonly choices?: readonly string[] } {
  return choices === undefined ? {} : { choices: choices.map(String) };
}

function describeExitCodes(codes: readonly ExitCode[]): CommandDescription['exitCodes'] {
  return codes.map((code) => ({ code, meaning: EXIT_CODES[code] }));
}
