import { type TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest.js';
import { flagSynonym } from './flag-synonyms.js';
import { GLOBAL_FLAGS } from './flags.js';
import { type Command, HELP, nameOf, type Outline } from './types.js';

/** Where a command's flags and arguments are listed. */
export function seeHelp(command: Command | undefined): string {
  return `see tickhaul ${command === undefined ? '' : `${nameOf(command)} `}--help`;
}

/** Says in one line what yargs found wrong (its English texts), and what would be right. */
export function explain(
  message: string,
  command: Command | undefined,
  commands: readonly Outline[],
  words: readonly string[],
): TickhaulError {
  return usageError(`${complaint(message, command, commands, words)}; ${seeHelp(command)}`);
}

function complaint(
  message: string,
  command: Command | undefined,
  commands: readonly Outline[],
  words: readonly string[],
): string {
  const unknown = /^Unknown (?:argument|command)s?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown !== undefined) {
    const flag = flagWord(unknown, words);
    if (flag !== undefined) return unknownFlag(flag, command);
    if (command === undefined) return unknownCommand(unknown, commands);
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
export function unknownCommand(word: string, commands: readonly Outline[]): string {
  return `unknown command "${word.replaceAll('"', '')}"${didYouMean(word, [...commands.map(nameOf), HELP])}`;
}

function unknownFlag(flag: string, command: Command | undefined): string {
  const known = flagWords(command);
  const synonym = command && flagSynonym(flag, command, known);
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
