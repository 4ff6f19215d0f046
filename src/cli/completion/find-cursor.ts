import type { Options } from 'yargs';
import type { Command, CommandOutline, Flags } from '../arguments/command.js';
import { findNamedCommand } from '../arguments/find-named-command.js';
import { BUILT_IN_FLAGS, GLOBAL_FLAGS } from '../arguments/run-flags.js';

/** What was typed before the word at the cursor. */
export interface TypedWords {
  /** Values by the long names of their flags, in order. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Arguments without a flag, but for the command itself. */
  readonly positionals: readonly string[];
}

/** What the word at the cursor is. */
export type CursorPosition =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'flag'; readonly text: string }
  /** @param head what comes before the value in the same word: `--format=`. */
  | {
      readonly kind: 'value';
      readonly flag: string;
      readonly options: Options;
      readonly head: string;
      readonly text: string;
    }
  | {
      readonly kind: 'positional';
      readonly name: string | undefined;
      readonly options: Options;
      readonly text: string;
    };

export interface Cursor {
  readonly command: Command | undefined;
  readonly given: TypedWords;
  readonly position: CursorPosition;
}

/** The flags of a command, or those that come before one. */
export function listFlags(command: Command | undefined): Flags {
  return { ...command?.flags, ...GLOBAL_FLAGS, ...BUILT_IN_FLAGS };
}

/**
 * Finds out where the cursor is.
 * @param words without the program's name; the last one is at the cursor.
 */
export async function findCursor(
  commands: readonly CommandOutline[],
  words: readonly string[],
): Promise<Cursor> {
  const before = words.slice(0, -1);
  const text = words.at(-1) ?? '';
  const outline = findNamedCommand(commands, before);
  const command = outline && { ...outline, ...(await outline.load()) };
  const reader = readWords(listFlags(command), before);
  const [first, ...rest] = reader.positionals;
  const isCommand = command ? false : first === undefined || first === 'help';
  const given = { flags: reader.flags, positionals: command ? rest : reader.positionals };
  return { command, given, position: positionOf(text, command, reader, given, isCommand) };
}

interface Read extends TypedWords {
  /** The flag whose value comes next. */
  readonly open: string | undefined;
  /** Whether `--` was there, after which nothing is a flag. */
  readonly isEnded: boolean;
}

function readWords(flags: Flags, words: readonly string[]): Read {
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  let open: string | undefined;
  let isEnded = false;
  const add = (flag: string, value: string): void => {
    values.set(flag, [...(values.get(flag) ?? []), value]);
  };
  for (const word of words) {
    if (open !== undefined) {
      add(open, word);
      open = undefined;
    } else if (isEnded || !word.startsWith('-') || word === '-') positionals.push(word);
    else if (word === '--') isEnded = true;
    else {
      const { name, value } = splitFlag(flags, word);
      if (name !== undefined && value !== undefined) add(name, value);
      else if (name !== undefined && flags[name]?.type !== 'boolean') open = name;
    }
  }
  return { flags: values, positionals, open, isEnded };
}

/** `--format=parquet` as the flag's long name and its value; a name that nobody knows is undefined. */
function splitFlag(flags: Flags, word: string): { name: string | undefined; value: string | undefined } {
  const [, dashes = '', typed = '', value] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const name = Object.keys(flags).find((flag) =>
    dashes === '--' ? flag === typed : [flags[flag]?.alias ?? []].flat().includes(typed),
  );
  return { name, value };
}

function positionOf(
  text: string,
  command: Command | undefined,
  { open, isEnded }: Read,
  { positionals }: TypedWords,
  isCommand: boolean,
): CursorPosition {
  const flags = listFlags(command);
  if (open !== undefined) {
    return { kind: 'value', flag: open, options: flags[open] ?? {}, head: '', text };
  }
  if (!isEnded && text.startsWith('-')) {
    const { name, value } = splitFlag(flags, text);
    if (value === undefined || name === undefined) return { kind: 'flag', text };
    const head = text.slice(0, text.length - value.length);
    return { kind: 'value', flag: name, options: flags[name] ?? {}, head, text: value };
  }
  if (isCommand) return { kind: 'command', text };
  const name = positionalAt(command, positionals.length);
  if (name === undefined && !isEnded) return { kind: 'flag', text };
  return { kind: 'positional', name, options: command?.positionals?.[name ?? ''] ?? {}, text };
}

/** The name of the argument at that place, as `sendHttpRequest` of `replay <exchange..>`. */
function positionalAt(command: Command | undefined, at: number): string | undefined {
  const all = [...(command?.syntax ?? '').matchAll(/[<[](\w+)(\.\.)?[>\]]/g)];
  const [, name] = all[at] ?? all.find(([, , isMany]) => isMany !== undefined) ?? [];
  return name;
}
