import type { OptionDefinition, OptionGroup } from '../../options/option-definition.js';
import { GLOBAL_OPTIONS } from '../../options/service-options.js';
import type { Command, CommandOutline, Flags } from '../arguments/command.js';
import { BUILT_IN_FLAGS, GLOBAL_FLAGS } from '../arguments/define-flags.js';
import { findNamedCommand } from '../arguments/find-named-command.js';

/** The words before the word at the cursor. */
export interface TypedWords {
  /** Values by the long names of their flags, in the order of the command line. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Positional arguments without the command. */
  readonly positionals: readonly string[];
}

/** Kind of the word at the cursor. */
export type CursorPosition =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'flag'; readonly text: string }
  /** `head` is the part of the word before the value: `--format=`. */
  | {
      readonly kind: 'value';
      readonly flag: string;
      /** Undefined for a flag that yargs handles. */
      readonly option: OptionDefinition | undefined;
      readonly head: string;
      readonly text: string;
    }
  | {
      readonly kind: 'positional';
      readonly name: string | undefined;
      readonly option: OptionDefinition | undefined;
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
 * Determines the kind of the word at the cursor.
 * @param words without the program's name; the last word is at the cursor.
 */
export async function findCursor(
  commands: readonly CommandOutline[],
  words: readonly string[],
): Promise<Cursor> {
  const before = words.slice(0, -1);
  const text = words.at(-1) ?? '';
  const outline = findNamedCommand(commands, before);
  const command = outline && { ...outline, ...(await outline.load()) };
  const reader = parseWords(listFlags(command), before);
  const [first, ...rest] = reader.positionals;
  const isCommand = command ? false : first === undefined || first === 'help';
  const given = { flags: reader.flags, positionals: command ? rest : reader.positionals };
  return { command, given, position: findPosition(text, command, reader, given, isCommand) };
}

interface ParsedWords extends TypedWords {
  /** The flag whose value is the next word. */
  readonly openFlag: string | undefined;
  /** Whether `--` was found, after which no word is a flag. */
  readonly isEnded: boolean;
}

function parseWords(flags: Flags, words: readonly string[]): ParsedWords {
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  let openFlag: string | undefined;
  let isEnded = false;
  const add = (flag: string, value: string): void => {
    values.set(flag, [...(values.get(flag) ?? []), value]);
  };
  for (const word of words) {
    if (openFlag !== undefined) {
      add(openFlag, word);
      openFlag = undefined;
    } else if (isEnded || !word.startsWith('-') || word === '-') positionals.push(word);
    else if (word === '--') isEnded = true;
    else {
      const { name, value } = splitFlag(flags, word);
      if (name !== undefined && value !== undefined) add(name, value);
      else if (name !== undefined && flags[name]?.type !== 'boolean') openFlag = name;
    }
  }
  return { flags: values, positionals, openFlag, isEnded };
}

/** Splits `--format=parquet` into the flag's long name, undefined if unknown, and its value. */
function splitFlag(flags: Flags, word: string): { name: string | undefined; value: string | undefined } {
  const [, dashes = '', typedName = '', value] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const name = Object.keys(flags).find((flag) =>
    dashes === '--' ? flag === typedName : [flags[flag]?.alias ?? []].flat().includes(typedName),
  );
  return { name, value };
}

function findPosition(
  text: string,
  command: Command | undefined,
  { openFlag, isEnded }: ParsedWords,
  { positionals }: TypedWords,
  isCommand: boolean,
): CursorPosition {
  const flags = listFlags(command);
  const options: OptionGroup = { ...GLOBAL_OPTIONS, ...command?.options };
  if (openFlag !== undefined) {
    return { kind: 'value', flag: openFlag, option: options[openFlag], head: '', text };
  }
  if (!isEnded && text.startsWith('-')) {
    const { name, value } = splitFlag(flags, text);
    if (value === undefined || name === undefined) return { kind: 'flag', text };
    const head = text.slice(0, text.length - value.length);
    return { kind: 'value', flag: name, option: options[name], head, text: value };
  }
  if (isCommand) return { kind: 'command', text };
  const name = findPositionalName(command, positionals.length);
  if (name === undefined && !isEnded) return { kind: 'flag', text };
  return { kind: 'positional', name, option: options[name ?? ''], text };
}

/** The name of the positional at an index, such as `exchange` of `replay <exchange..>`. */
function findPositionalName(command: Command | undefined, at: number): string | undefined {
  const all = [...(command?.syntax ?? '').matchAll(/[<[](\w+)(\.\.)?[>\]]/g)];
  const [, name] = all[at] ?? all.find(([, , isMany]) => isMany !== undefined) ?? [];
  return name;
}
