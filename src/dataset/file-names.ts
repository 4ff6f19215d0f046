import { formatDay } from './day.js';
import type { DayFile } from './day-file.js';

/** What a day file is called in a flat folder, without its extension (service interface, Datasets API). */
export const FLAT_NAME = '{exchange}_{type}_{date}_{symbol}';

/** Of `YYYY-MM-DD`, which characters a placeholder is. */
export const DATE_PARTS: ReadonlyMap<string, { readonly start: number; readonly end: number }> = new Map([
  ['{date}', { start: 0, end: 10 }],
  ['{year}', { start: 0, end: 4 }],
  ['{month}', { start: 5, end: 7 }],
  ['{day}', { start: 8, end: 10 }],
]);

/** The folder under the download folder that is tickhaul's own. */
export const STATE_FOLDER = '.tickhaul';

type Series = Pick<DayFile, 'exchange' | 'symbol'>;

interface SeriesNames {
  readonly of: Series;
  /** What stands before, between and behind the parts of a date. */
  readonly texts: readonly string[];
}

/** A template as its texts and placeholders, in their order. */
export function templateTokens(template: string): readonly string[] {
  return template
    .replaceAll('{name}', FLAT_NAME)
    .split(/(\{\w+\})/)
    .filter((token) => token !== '');
}

/**
 * Names day files as a template says, without an extension. Plans and manifests name a million in a row, those of a series
 * one after the other, in turns with what is computed of them: what they have in common is worked out once.
 */
export function createNaming(template: string): (file: DayFile) => string {
  const tokens = templateTokens(template);
  const dates = tokens.flatMap((token) => DATE_PARTS.get(token) ?? []);
  /** The last series of each data type. */
  const known = new Map<string, SeriesNames>();
  return (file) => {
    let names = known.get(file.dataType);
    if (names === undefined || !isOf(names.of, file)) {
      names = namesOf(tokens, file);
      known.set(file.dataType, names);
    }
    const { texts } = names;
    const date = formatDay(file.day);
    let name = texts[0] ?? '';
    for (let at = 0; at < dates.length; at++) {
      const part = dates[at];
      name += date.slice(part?.start, part?.end) + texts[at + 1];
    }
    return name;
  };
}

function isOf({ exchange, symbol }: Series, file: DayFile): boolean {
  return file.symbol === symbol && file.exchange === exchange;
}

/** Between texts; no name holds it. */
const GAP = '\0';

function namesOf(tokens: readonly string[], { exchange, dataType, symbol }: DayFile): SeriesNames {
  const words = new Map([
    ['{exchange}', safeName(exchange)],
    ['{type}', safeName(dataType)],
    ['{symbol}', safeName(symbol)],
  ]);
  const pieces = tokens.map((token) =>
    DATE_PARTS.has(token) ? `${GAP}d${GAP}` : (words.get(token) ?? token),
  );
  const path = pieces.join('').split('/').map(undotted).join('/');
  const texts = path.split(GAP).filter((_, at) => at % 2 === 0);
  return { of: { exchange, symbol }, texts };
}

/** A folder of dots alone leads elsewhere, and tickhaul's own is not for day files. */
function undotted(folder: string): string {
  return /^\.+$/.test(folder) || folder === STATE_FOLDER ? folder.replaceAll('.', '-') : folder;
}

/** Whether a file name holds this text as it is. */
export function isPlainName(text: string): boolean {
  return safeName(text) === text;
}

/** The characters that the service's client convention replaces, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have no place in a file's name
const UNSAFE = /[:\\/?*<>|"\u0000-\u001f\u007f]/;
const ALL_UNSAFE = new RegExp(UNSAFE, 'g');

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Whether a text has control characters, which no layout gives to a path. */
export function hasControls(text: string): boolean {
  return CONTROL.test(text);
}

/** A text as a part of a file's name. */
export function safeName(value: string): string {
  return UNSAFE.test(value) ? value.replace(ALL_UNSAFE, '-') : value;
}
