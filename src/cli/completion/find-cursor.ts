import type { OptionDefinition, OptionGroup } from '../../options/option-definition.js';
import { GLOBAL_OPTIONS } from '../../options/service-options.js';
import type { Command, CommandOutline } from '../arguments/command.js';
import {
  findNamedCommand,
  listFlags,
  readWords,
  splitFlag,
  type TypedWords,
} from '../arguments/typed-words.js';

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
  /** What is before the cursor, without the command. */
  readonly given: Pick<TypedWords, 'flags' | 'positionals'>;
  readonly position: CursorPosition;
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
  const reader = readWords(before, listFlags(command));
  const [first, ...rest] = reader.positionals;
  const isCommand = command === undefined && first === undefined;
  const given = { flags: reader.flags, positionals: command ? rest : reader.positionals };
  return { command, given, position: findPosition(text, command, reader, given, isCommand) };
}

function findPosition(
  text: string,
  command: Command | undefined,
  { openFlag, isEnded }: TypedWords,
  { positionals }: Cursor['given'],
  isCommand: boolean,
): CursorPosition {
  const flags = listFlags(command);
  const options: OptionGroup = { ...GLOBAL_OPTIONS, ...command?.options };
  if (openFlag !== undefined) {
    return { kind: 'value', flag: openFlag, option: options[openFlag], head: '', text };
  }
  if (!isEnded && text.startsWith('-')) {
    const { name, value } = splitFlag(text, flags);
    if (value === undefined || flags[name] === undefined) return { kind: 'flag', text };
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
