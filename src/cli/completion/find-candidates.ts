import { DATA_TYPES } from '../../day-files/data-types.js';
import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import { EXCHANGE_MESSAGE_TYPES } from '../../market/message-type-name.js';
import type { OptionDefinition, OptionGroup } from '../../options/option-definition.js';
import { OPTION_TYPES } from '../../options/option-types.js';
import { GLOBAL_OPTIONS } from '../../options/service-options.js';
import type { StoredNames } from '../../service/records/fetch-records.js';
import type { Command, CommandOutline } from '../arguments/command.js';
import { commandName, HELP, topicsOf } from '../arguments/define-flags.js';
import {
  findNamedCommand,
  listFlags,
  readWords,
  splitFlag,
  type TypedWords,
} from '../arguments/typed-words.js';

/** Kind of the word at the cursor. */
type CursorPosition =
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

interface Cursor {
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

/** A completion of the word at the cursor. */
export interface Candidate {
  readonly text: string;
  readonly describe?: string | undefined;
}

/** Completions: words, or paths, which the shell completes. */
export type CompletionAnswer =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files' | 'folders' };

/** Names from stored copies of the service's records. */
export interface KnownNames {
  exchanges(): Promise<readonly string[]>;
  names(exchange: string): Promise<StoredNames | undefined>;
}

/** Finds the completions of the word at the cursor. */
export async function findCandidates(
  { command, given, position }: Cursor,
  commands: readonly CommandOutline[],
  known: KnownNames,
): Promise<CompletionAnswer> {
  if (position.kind === 'command') return words(position.text, commands.map(toCandidate));
  if (position.kind === 'flag')
    return words(position.text, listFlagCandidates(command && listFlags(command)));
  const named = command?.positionals?.['exchange'] === undefined ? [] : given.positionals;
  const context = {
    name: command ? commandName(command) : '',
    exchanges: [...named, ...(given.flags.get('exchange') ?? []).flatMap((list) => list.split(','))],
    known,
  };
  if (position.kind === 'value') return findValues(position, context);
  if (context.name === HELP && position.name !== undefined)
    return words(position.text, [...commands.map(toCandidate), ...listTopics(commands)]);
  return findPositionals(position, context);
}

/** Context that values depend on. */
interface ValueContext {
  /** Name of the command. */
  readonly name: string;
  /** Exchanges of the command line, some with symbols after a colon. */
  readonly exchanges: readonly string[];
  readonly known: KnownNames;
}

function toCandidate(outline: CommandOutline): Candidate {
  return { text: commandName(outline), describe: outline.describe };
}

function listTopics(commands: readonly CommandOutline[]): readonly Candidate[] {
  return Object.entries(topicsOf(commands)).map(([text, { describe }]) => ({ text, describe }));
}

function listFlagCandidates(flags = listFlags(undefined)): readonly Candidate[] {
  return Object.entries(flags).map(([name, { describe }]) => ({
    text: `--${name}`,
    describe: describe === undefined ? undefined : String(describe),
  }));
}

const WEEKDAYS = ['mon-fri', 'sat', 'sun', 'mon', 'tue', 'wed', 'thu', 'fri'];

async function findValues(
  { flag, option, head, text }: CursorPosition & { kind: 'value' },
  context: ValueContext,
): Promise<CompletionAnswer> {
  const suggested = option && (option.choices ?? OPTION_TYPES[option.type].completes);
  if (suggested === 'files' || suggested === 'folders') return { kind: suggested };
  if (suggested !== undefined) return words(head + text, texts(head, suggested));
  return listCandidates(head, text, await listValues(flag, text, context));
}

/** Values of flags that take a comma-separated list. */
async function listValues(flag: string, text: string, context: ValueContext): Promise<readonly string[]> {
  switch (flag) {
    case 'exchange':
      return context.known.exchanges();
    case 'type':
      return listDataTypes(text, context);
    case 'symbol':
      return [...(acceptsAll(context) ? ['all'] : []), ...(await listNames(context, 'symbols'))];
    case 'symbol-type':
      return listNames(context, 'symbolTypes');
    case 'as':
      return ['rows', ...suggestComputedTypes(text)];
    case 'weekdays':
      return WEEKDAYS;
    default:
      return [];
  }
}

function acceptsAll({ name }: ValueContext): boolean {
  return name === 'plan' || name === 'download';
}

async function listDataTypes(text: string, context: ValueContext): Promise<readonly string[]> {
  if (context.name === 'replay' || context.name === 'stream') {
    return [...Object.keys(EXCHANGE_MESSAGE_TYPES), ...suggestComputedTypes(text)];
  }
  const named = await listNames(context, 'dataTypes');
  return [...(acceptsAll(context) ? ['all'] : []), ...(named.length > 0 ? named : DATA_TYPES)];
}

const COMPUTED_TYPES = [
  ...[
    'trade_bar_1s',
    'trade_bar_1m',
    'trade_bar_5m',
    'trade_bar_60m',
    'trade_bar_100ticks',
    'trade_bar_10vol',
  ],
  ...['quote', 'quote_1s', 'quote_1m'],
  ...['book_snapshot_5_1s', 'book_snapshot_10_100ms', 'book_snapshot_25_1m'],
];

/** Suggested computed types; after a number, also that number with each unit. */
function suggestComputedTypes(list: string): readonly string[] {
  const text = list.slice(list.lastIndexOf(',') + 1);
  const [, base, isBar] =
    /^((trade_bar)_\d+|quote_\d+|book_snapshot_\d+(?:_grouped[\d.]+)?_\d+)$/.exec(text) ?? [];
  if (base === undefined) return COMPUTED_TYPES;
  const units = ['ms', 's', 'm', ...(isBar === undefined ? [] : ['ticks', 'vol'])];
  return [...COMPUTED_TYPES, ...units.map((unit) => base + unit)];
}

async function listNames(
  { exchanges, known }: ValueContext,
  field: keyof StoredNames,
): Promise<readonly string[]> {
  const ids = exchanges
    .map((text) => text.replace(/:.*$/s, '').trim().toLowerCase())
    .filter((id) => id !== '');
  const matches = await Promise.all([...new Set(ids)].map((exchange) => known.names(exchange)));
  return [...new Set(matches.flatMap((names) => names?.[field] ?? []))].sort();
}

async function findPositionals(
  { name, option, text }: CursorPosition & { kind: 'positional' },
  context: ValueContext,
): Promise<CompletionAnswer> {
  const suggested = option && (option.choices ?? OPTION_TYPES[option.type].completes);
  if (suggested === 'files' || suggested === 'folders') return { kind: suggested };
  if (suggested !== undefined) return words(text, texts('', suggested));
  if (name === 'glob') return listCandidates('', text, await listNames(context, 'symbols'));
  if (name !== 'exchange') return words(text, []);
  const colon = text.indexOf(':');
  if (colon < 0) return words(text.toLowerCase(), texts('', await context.known.exchanges()));
  const names = await context.known.names(text.slice(0, colon).toLowerCase());
  const single = names?.symbols.filter((symbol) => !GROUPED_SYMBOLS.has(symbol)).sort() ?? [];
  return listCandidates(text.slice(0, colon + 1), text.slice(colon + 1), single);
}

/** Completes a list after its last comma, without values that it already contains. */
function listCandidates(head: string, text: string, values: readonly string[]): CompletionAnswer {
  const at = text.lastIndexOf(',') + 1;
  const listed = new Set(text.slice(0, at).split(','));
  const prefix = text.slice(at);
  // Symbols may be typed in lower case.
  const isAny = prefix === '' || values.some((value) => value.startsWith(prefix));
  const normalizedPrefix = isAny ? prefix : prefix.toUpperCase();
  return words(
    head + text.slice(0, at) + normalizedPrefix,
    texts(
      head + text.slice(0, at),
      values.filter((value) => !listed.has(value)),
    ),
  );
}

function texts(head: string, values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ text: head + value }));
}

/** Limit of completions shown; nobody reads longer lists. */
const MAX_CANDIDATES = 500;
/** Characters that need no quotes in a shell: names come from a service. */
const PLAIN_WORD = /^[\p{L}\p{N}_.,:+@%=/-]+$/u;

function words(prefix: string, candidates: readonly Candidate[]): CompletionAnswer {
  const matches = candidates.filter(({ text }) => text.startsWith(prefix) && PLAIN_WORD.test(text));
  return { kind: 'words', candidates: matches.length > MAX_CANDIDATES ? sample(matches) : matches };
}

/**
 * An evenly spaced sample in order, with the first and the last: its common prefix is that of all candidates.
 */
function sample(matches: readonly Candidate[]): readonly Candidate[] {
  const sorted = [...matches].sort((a, b) => (a.text < b.text ? -1 : 1));
  const last = sorted.length - 1;
  return Array.from(
    { length: MAX_CANDIDATES },
    (_, i) => sorted[Math.round((i * last) / (MAX_CANDIDATES - 1))],
  ).filter((candidate) => candidate !== undefined);
}
