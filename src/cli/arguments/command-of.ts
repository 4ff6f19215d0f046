import { GLOBAL_FLAGS } from './flags.js';
import { nameOf, type Outline } from './types.js';

/** The command that the words name, were they right or not. */
export function commandOf(commands: readonly Outline[], words: readonly string[]): Outline | undefined {
  const names = commands.map(nameOf);
  // Not the value of a flag before it, such as --dir plan.
  const word = words.find((name, at) => names.includes(name) && !takesNext(words[at - 1]));
  return commands[names.indexOf(word ?? '')];
}

/** The place of the first word that is neither a flag nor a flag's value; -1 without one. */
export function firstWordAt(words: readonly string[]): number {
  return words.findIndex((word, at) => !word.startsWith('-') && !takesNext(words[at - 1]));
}

/** Whether the word after this one is its value, to a parser that knows only the flags of every command. */
function takesNext(word: string | undefined): boolean {
  if (word === undefined || !word.startsWith('-') || word.includes('=')) return false;
  const name = word.replace(/^-+/, '');
  return !SWITCHES.has(name);
}

/** The flags of every command that have no value. */
const SWITCHES: ReadonlySet<string> = new Set([
  ...['help', 'h', 'version', 'v', 'V'],
  ...Object.entries(GLOBAL_FLAGS).flatMap(([name, { type, alias }]) =>
    type === 'boolean' ? [name, ...[alias ?? []].flat()] : [],
  ),
]);
