import { type TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import type { Command, CommandOutline } from './command.js';
import { commandName, GLOBAL_FLAGS } from './define-flags.js';
import { findFlagSynonym } from './flag-synonyms.js';

/** The hint to a command's help. */
export function formatHelpHint(command: Command | undefined): string {
  return `see tickhaul ${command === undefined ? '' : `${commandName(command)} `}--help`;
}

/** Converts an error message of yargs (in English) to a usage error of one line, with a correction. */
export function toUsageError(
  message: string,
  command: Command | undefined,
  commands: readonly CommandOutline[],
  words: readonly string[],
): TickhaulError {
  return usageError(`${describeProblem(message, command, commands, words)}; ${formatHelpHint(command)}`);
}

function describeProblem(
  message: string,
  command: Command | undefined,
  commands: readonly CommandOutline[],
  words: readonly string[],
): string {
  const unknown = /^Unknown (?:argument|command)s?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown !== undefined) {
    const flag = findTypedFlag(unknown, words);
    if (flag !== undefined) return formatUnknownFlag(flag, command);
    if (command === undefined) return formatUnknownCommand(unknown, commands);
    return `"${unknown}": one argument too many`;
  }
  const choice = /Argument: (.+), Given: (.+), Choices: (.+)/.exec(message);
  if (choice !== null) {
    const [, name = '', given, known] = choice;
    const argumentName = command?.positionals?.[name] === undefined ? `--${name}` : `<${name}>`;
    return `${argumentName}: ${given} is not one of ${known}`;
  }
  const flagWithoutValue = /^Not enough arguments following: (.+)$/.exec(message)?.[1];
  if (flagWithoutValue !== undefined)
    return `${findTypedFlag(flagWithoutValue, words) ?? `--${flagWithoutValue}`} needs a value`;
  if (message.startsWith('Not enough non-option arguments') && command !== undefined) {
    const known = listFlags(command);
    const flag = words.map(withoutValue).find((word) => word.startsWith('--') && !known.includes(word));
    if (flag !== undefined) return formatUnknownFlag(flag, command);
    return `an argument is missing: tickhaul ${command.syntax}${listChoices(command)}`;
  }
  return message.replace(/\s*\n\s*/g, ' ');
}

/** The values of positionals with fixed choices: `; <target> is one of …`. */
function listChoices({ positionals = {} }: Command): string {
  return Object.entries(positionals)
    .map(([name, { choices }]) => (choices ? `; <${name}> is one of ${choices.join(', ')}` : ''))
    .join('');
}

/** An unknown command, with the nearest known ones. */
export function formatUnknownCommand(word: string, commands: readonly CommandOutline[]): string {
  return `unknown command ${formatUnknownWord(word, commands.map(commandName))}`;
}

/** An unknown word in quotes, with the nearest known ones. */
export function formatUnknownWord(word: string, known: readonly string[]): string {
  return `"${word.replaceAll('"', '')}"${didYouMean(word, known)}`;
}

function formatUnknownFlag(flag: string, command: Command | undefined): string {
  const known = listFlags(command);
  if (flag === '-o' && known.includes('--dir'))
    return '-o names what is written; the folder that is read is --dir';
  const synonym = command && findFlagSynonym(flag, command, known);
  return `unknown flag ${flag}${synonym ?? didYouMean(flag, known)}`;
}

/** A flag without the value after `=`. */
function withoutValue(word: string): string {
  return word.replace(/=.*$/s, '');
}

/** A flag as typed; undefined if the name is not a flag. */
function findTypedFlag(name: string, words: readonly string[]): string | undefined {
  return words
    .map(withoutValue)
    .find((word) => word === `--${name}` || (/^-\w+$/.test(word) && word.includes(name)));
}

function listFlags(command: Command | undefined): readonly string[] {
  return ['help', 'version', ...Object.keys({ ...GLOBAL_FLAGS, ...command?.flags })].map(
    (name) => `--${name}`,
  );
}
