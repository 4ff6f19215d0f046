import { type TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { type Command, type CommandOutline, commandName, HELP } from './command.js';
import { findFlagSynonym } from './flag-synonyms.js';
import { GLOBAL_FLAGS } from './run-flags.js';

/** Where a command's flags and arguments are listed. */
export function formatHelpHint(command: Command | undefined): string {
  return `see tickhaul ${command === undefined ? '' : `${commandName(command)} `}--help`;
}

/** Says in one line what yargs found wrong (its English texts), and what would be right. */
export function toUsageError(
  message: string,
  command: Command | undefined,
  commands: readonly CommandOutline[],
  words: readonly string[],
): TickhaulError {
  return usageError(`${complaint(message, command, commands, words)}; ${formatHelpHint(command)}`);
}

function complaint(
  message: string,
  command: Command | undefined,
  commands: readonly CommandOutline[],
  words: readonly string[],
): string {
  const unknown = /^Unknown (?:argument|command)s?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown !== undefined) {
    const flag = flagWord(unknown, words);
    if (flag !== undefined) return unknownFlag(flag, command);
    if (command === undefined) return formatUnknownCommand(unknown, commands);
    return `"${unknown}" is one argument too many`;
  }
  const choice = /Argument: (.+), Given: (.+), Choices: (.+)/.exec(message);
  if (choice !== null) {
    const [, name = '', given, known] = choice;
    const shown = command?.positionals?.[name] === undefined ? `--${name}` : `<${name}>`;
    return `${shown}: ${given} is not one of ${known}`;
  }
  const lacking = /^Not enough arguments following: (.+)$/.exec(message)?.[1];
  if (lacking !== undefined) return `${flagWord(lacking, words) ?? `--${lacking}`} needs a value`;
  if (message.startsWith('Not enough non-option arguments') && command !== undefined) {
    const known = flagWords(command);
    const flag = words.map(flagOfWord).find((word) => word.startsWith('--') && !known.includes(word));
    if (flag !== undefined) return unknownFlag(flag, command);
    return `an argument is missing: tickhaul ${command.syntax}`;
  }
  return message.replace(/\s*\n\s*/g, ' ');
}

/** An unknown command, with the nearest known ones. */
export function formatUnknownCommand(word: string, commands: readonly CommandOutline[]): string {
  return `unknown command "${word.replaceAll('"', '')}"${didYouMean(word, [...commands.map(commandName), HELP])}`;
}

function unknownFlag(flag: string, command: Command | undefined): string {
  const known = flagWords(command);
  const synonym = command && findFlagSynonym(flag, command, known);
  return `unknown flag ${flag}${synonym ?? didYouMean(flag, known)}`;
}

/** A flag without the value behind its `=`. */
function flagOfWord(word: string): string {
  return word.replace(/=.*$/s, '');
}

/** A flag as it was typed; undefined where the name was no flag. */
function flagWord(name: string, words: readonly string[]): string | undefined {
  return words
    .map(flagOfWord)
    .find((word) => word === `--${name}` || (/^-\w+$/.test(word) && word.includes(name)));
}

function flagWords(command: Command | undefined): readonly string[] {
  return ['help', 'version', ...Object.keys({ ...GLOBAL_FLAGS, ...command?.flags })].map(
    (name) => `--${name}`,
  );
}
