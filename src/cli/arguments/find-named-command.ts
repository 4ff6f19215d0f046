import { type CommandOutline, commandName } from './command.js';
import { GLOBAL_FLAGS } from './define-flags.js';

/** The command that the words name; the words may be invalid. */
export function findNamedCommand(
  commands: readonly CommandOutline[],
  words: readonly string[],
): CommandOutline | undefined {
  const names = commands.map(commandName);
  // Ignore the value of a flag, such as plan in --dir plan.
  const word = words.find((name, at) => names.includes(name) && !takesNext(words[at - 1]));
  return commands[names.indexOf(word ?? '')];
}

/** The index of the first word that is neither a flag nor a flag's value; -1 if there is none. */
export function findFirstWord(words: readonly string[]): number {
  return words.findIndex((word, at) => !word.startsWith('-') && !takesNext(words[at - 1]));
}

/** Whether a parser that has only the global flags takes the next word as this word's value. */
function takesNext(word: string | undefined): boolean {
  if (word === undefined || !word.startsWith('-') || word.includes('=')) return false;
  const name = word.replace(/^-+/, '');
  return !SWITCHES.has(name);
}

/** Global flags without a value. */
const SWITCHES: ReadonlySet<string> = new Set([
  ...['help', 'h', 'version', 'v', 'V'],
  ...Object.entries(GLOBAL_FLAGS).flatMap(([name, { type, alias }]) =>
    type === 'boolean' ? [name, ...[alias ?? []].flat()] : [],
  ),
]);
