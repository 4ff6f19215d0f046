import { DATA_TYPES } from '../../dataset/data-types.js';
import { GROUPED_SYMBOLS } from '../../dataset/symbols.js';
import { SOURCE_TYPES } from '../../market/names/data-type-name.js';
import type { StoredNames } from '../../service/records/stored.js';
import { nameOf, type Outline } from '../arguments/types.js';
import { type Cursor, flagsOf, type Position } from './position.js';

/** A word that may stand at the cursor. */
export interface Candidate {
  readonly text: string;
  readonly describe?: string | undefined;
}

/** What may stand there: words, or paths, which the shell knows best. */
export type Answer =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files' | 'folders' };

/** What this machine knows of the service. */
export interface Known {
  exchanges(): Promise<readonly string[]>;
  names(exchange: string): Promise<StoredNames | undefined>;
}

/** What may stand at the cursor. */
export async function candidatesAt(
  { command, given, position }: Cursor,
  commands: readonly Outline[],
  known: Known,
): Promise<Answer> {
  if (position.kind === 'command') return words(position.text, commands.map(ofCommand));
  if (position.kind === 'flag') return words(position.text, flagNames(command && flagsOf(command)));
  const named = command?.positionals?.['exchange'] === undefined ? [] : given.positionals;
  const asked = {
    name: command ? nameOf(command) : '',
    exchanges: [...named, ...(given.flags.get('exchange') ?? []).flatMap((list) => list.split(','))],
    known,
  };
  if (position.kind === 'value') return valueCandidates(position, asked);
  return positionalCandidates(position, asked);
}

/** What values depend on. */
interface Asked {
  /** Of the command. */
  readonly name: string;
  /** That the command line names, some with symbols behind a colon. */
  readonly exchanges: readonly string[];
  readonly known: Known;
}

function ofCommand(outline: Outline): Candidate {
  return { text: nameOf(outline), describe: outline.describe };
}

function flagNames(flags = flagsOf(undefined)): readonly Candidate[] {
  return Object.entries(flags).map(([name, { describe }]) => ({
    text: `--${name}`,
    describe: describe === undefined ? undefined : String(describe),
  }));
}

const FILES = new Set([
  'config',
  'api-key-file',
  'from-file',
  'frozen',
  'pin',
  'pinned',
  'failed-to',
  'html',
  'code-file',
]);
const FOLDERS = new Set(['dir', 'replay-dir']);

/** Values of flags that have some usual ones, by the long name. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  from: ['yesterday', 'today'],
  to: ['yesterday', 'today'],
  date: ['yesterday', 'today'],
  on: ['yesterday', 'today'],
  until: ['yesterday', 'today'],
  last: ['1d', '7d', '30d'],
  layout: ['flat', 'hive'],
  concurrency: ['auto'],
  speed: ['max', '1'],
};

const WEEKDAYS = ['mon-fri', 'sat', 'sun', 'mon', 'tue', 'wed', 'thu', 'fri'];

async function valueCandidates(
  { flag, options, head, text }: Position & { kind: 'value' },
  asked: Asked,
): Promise<Answer> {
  if (FILES.has(flag)) return { kind: 'files' };
  // Of lock and replay a file, of convert a folder.
  if (flag === 'out') return { kind: asked.name === 'convert' ? 'folders' : 'files' };
  if (FOLDERS.has(flag)) return { kind: 'folders' };
  const one = options.choices?.map(String) ?? USUAL[flag];
  if (one !== undefined) return words(head + text, texts(head, one));
  return listCandidates(head, text, await listValues(flag, text, asked));
}

/** Values of flags that take several, with commas between them. */
async function listValues(flag: string, text: string, asked: Asked): Promise<readonly string[]> {
  switch (flag) {
    case 'exchange':
      return asked.known.exchanges();
    case 'type':
      return dataTypes(text, asked);
    case 'symbol':
      return [...(takesAll(asked) ? ['all'] : []), ...(await namesOf(asked, 'symbols'))];
    case 'symbol-type':
      return namesOf(asked, 'symbolTypes');
    case 'as':
      return ['rows', ...computedNames(text)];
    case 'weekdays':
      return WEEKDAYS;
    default:
      return [];
  }
}

function takesAll({ name }: Asked): boolean {
  return name === 'plan' || name === 'download';
}

async function dataTypes(text: string, asked: Asked): Promise<readonly string[]> {
  if (asked.name === 'replay' || asked.name === 'stream') {
    return [...Object.keys(SOURCE_TYPES), ...computedNames(text)];
  }
  const named = await namesOf(asked, 'dataTypes');
  return [...(takesAll(asked) ? ['all'] : []), ...(named.length > 0 ? named : DATA_TYPES)];
}

const COMPUTED = [
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

/** Some names of computed types; after a number, that number in each unit. */
function computedNames(list: string): readonly string[] {
  const text = list.slice(list.lastIndexOf(',') + 1);
  const [, base, isBar] =
    /^((trade_bar)_\d+|quote_\d+|book_snapshot_\d+(?:_grouped[\d.]+)?_\d+)$/.exec(text) ?? [];
  if (base === undefined) return COMPUTED;
  const units = ['ms', 's', 'm', ...(isBar === undefined ? [] : ['ticks', 'vol'])];
  return [...COMPUTED, ...units.map((unit) => base + unit)];
}

async function namesOf({ exchanges, known }: Asked, what: keyof StoredNames): Promise<readonly string[]> {
  const ids = exchanges
    .map((text) => text.replace(/:.*$/s, '').trim().toLowerCase())
    .filter((id) => id !== '');
  const found = await Promise.all([...new Set(ids)].map((exchange) => known.names(exchange)));
  return [...new Set(found.flatMap((names) => names?.[what] ?? []))].sort();
}

async function positionalCandidates(
  { name, options, text }: Position & { kind: 'positional' },
  asked: Asked,
): Promise<Answer> {
  if (options.choices) return words(text, texts('', options.choices.map(String)));
  if (name === 'path' || name === 'file') return { kind: 'files' };
  if (name === 'folder') return { kind: 'folders' };
  if (name === 'glob') return listCandidates('', text, await namesOf(asked, 'symbols'));
  if (name !== 'exchange') return words(text, []);
  const colon = text.indexOf(':');
  if (colon < 0) return words(text.toLowerCase(), texts('', await asked.known.exchanges()));
  const names = await asked.known.names(text.slice(0, colon).toLowerCase());
  const single = names?.symbols.filter((symbol) => !GROUPED_SYMBOLS.has(symbol)).sort() ?? [];
  return listCandidates(text.slice(0, colon + 1), text.slice(colon + 1), single);
}

/** A list goes on after its last comma, with what isn't in it yet. */
function listCandidates(head: string, text: string, values: readonly string[]): Answer {
  const at = text.lastIndexOf(',') + 1;
  const listed = new Set(text.slice(0, at).split(','));
  const begun = text.slice(at);
  // Symbols may be typed in any case.
  const isAny = begun === '' || values.some((value) => value.startsWith(begun));
  const rest = isAny ? begun : begun.toUpperCase();
  return words(
    head + text.slice(0, at) + rest,
    texts(
      head + text.slice(0, at),
      values.filter((value) => !listed.has(value)),
    ),
  );
}

function texts(head: string, values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ text: head + value }));
}

/** More than anybody looks through. */
const MOST = 500;
/** What shells take as it stands: names come from a service. */
const PLAIN = /^[\p{L}\p{N}_.,:+@%=/-]+$/u;

function words(begun: string, candidates: readonly Candidate[]): Answer {
  const found = candidates.filter(({ text }) => text.startsWith(begun) && PLAIN.test(text));
  return { kind: 'words', candidates: found.length > MOST ? sampled(found) : found };
}

/** Some of many in order, the first and the last among them: what all begin with is then what these begin with. */
function sampled(found: readonly Candidate[]): readonly Candidate[] {
  const sorted = [...found].sort((a, b) => (a.text < b.text ? -1 : 1));
  const last = sorted.length - 1;
  return Array.from({ length: MOST }, (_, i) => sorted[Math.round((i * last) / (MOST - 1))]).filter(
    (candidate) => candidate !== undefined,
  );
}
