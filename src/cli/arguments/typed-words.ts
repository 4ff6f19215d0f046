import type { CommandOutline, Flags } from './command.js';
import { BUILT_IN_FLAGS, commandName, GLOBAL_FLAGS } from './define-flags.js';

/** The words of a command line, as far as they are known before yargs reads them or when it cannot. */
export interface TypedWords {
  /** Values by the long names of their flags, in the order of the command line; `true` for a switch. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Words that are neither flags nor values of flags, such as the command. */
  readonly positionals: readonly string[];
  /** The index of the first positional before `--`; -1 if there is none. */
  readonly firstAt: number;
  /** The flag whose value is the next word. */
  readonly openFlag: string | undefined;
  /** Whether `--` was found, after which no word is a flag. */
  readonly isEnded: boolean;
}

/** The flags of a command, or those that come before one. */
export function listFlags(command: { readonly flags: Flags } | undefined): Flags {
  return { ...command?.flags, ...GLOBAL_FLAGS, ...BUILT_IN_FLAGS };
}

/** Reads words, which may be invalid. A flag that is not known takes a value, such as `plan` in `--dir plan`. */
export function readWords(words: readonly string[], known: Flags = listFlags(undefined)): TypedWords {
  const flags = new Map<string, string[]>();
  const positionals: string[] = [];
  let [firstAt, isEnded] = [-1, false];
  let openFlag: string | undefined;
  for (const [at, word] of words.entries()) {
    let [name, value]: readonly (string | undefined)[] = [openFlag, word];
    openFlag = undefined;
    if (!isEnded && /^-./s.test(word)) {
      isEnded = word === '--';
      if (isEnded) continue;
      ({ name, value } = splitFlag(word, known));
      if (value === undefined && known[name]?.type === 'boolean') value = 'true';
      if (value === undefined) openFlag = name;
    } else if (name === undefined) {
      positionals.push(word);
      if (firstAt < 0 && !isEnded) firstAt = at;
    }
    if (name !== undefined && value !== undefined) flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return { flags, positionals, firstAt, openFlag, isEnded };
}

/** Splits `--format=parquet` into the flag's long name, or its name as typed if it is not known, and its value. */
export function splitFlag(word: string, known: Flags): { name: string; value: string | undefined } {
  const [, dashes = '', typed = '', value] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const isAlias = (name: string): boolean => [known[name]?.alias ?? []].flat().includes(typed);
  const name = dashes === '--' ? typed : Object.keys(known).find(isAlias);
  return { name: name ?? `-${typed}`, value };
}

/** Whether the words, which may be invalid, set a switch of every command. */
export function hasSwitch(words: readonly string[], name: string): boolean {
  return readWords(words).flags.get(name)?.at(-1) === 'true';
}

/** The command that the words name; the words may be invalid. */
export function findNamedCommand(
  commands: readonly CommandOutline[],
  words: readonly string[],
): CommandOutline | undefined {
  // Words after `--` may name a command of another program.
  const { positionals } = readWords(words.slice(0, [...words, '--'].indexOf('--')));
  const names = commands.map(commandName);
  return commands[names.indexOf(positionals.find((word) => names.includes(word)) ?? '')];
}
