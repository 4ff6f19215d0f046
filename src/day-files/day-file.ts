import { basename } from 'node:path';
import { TickhaulError } from '../base/errors.js';
import { compareTexts } from '../base/text.js';
import { type Day, formatDay, parseDay } from './day.js';

/** Extension of a day file as the service delivers it. */
export const DAY_FILE_EXTENSION = '.csv.gz';

/** One exchange, data type, dataset symbol and UTC day: the unit of plans, downloads and the manifest. */
export interface DayFile {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  readonly day: Day;
}

export function isSameDayFile(a: DayFile, b: DayFile): boolean {
  return a.day === b.day && a.symbol === b.symbol && a.dataType === b.dataType && a.exchange === b.exchange;
}

/** Orders series by exchange, data type and symbol. */
export function compareSeries(a: Omit<DayFile, 'day'>, b: Omit<DayFile, 'day'>): number {
  return (
    compareTexts(a.exchange, b.exchange) ||
    compareTexts(a.dataType, b.dataType) ||
    compareTexts(a.symbol, b.symbol)
  );
}

/**
 * Parses a flat name, `<exchange>_<dataType>_<YYYY-MM-DD>_<symbol>.csv.gz`
 * (docs/spec/datasets-api.md#file-names). Returns undefined for any other name. Characters that were replaced
 * by `-` are not restored.
 */
export function parseDayFileName(path: string): DayFile | undefined {
  const match = /^([^_]+)_(.+?)_(\d{4}-\d\d-\d\d)_(.+)\.csv\.gz$/.exec(basename(path));
  const [, exchange, dataType, date, symbol] = match ?? [];
  if (exchange === undefined || dataType === undefined || date === undefined || symbol === undefined)
    return undefined;
  try {
    return { exchange, dataType, symbol, day: parseDay(date) };
  } catch (error) {
    if (error instanceof TickhaulError) return undefined;
    throw error;
  }
}

/** Template of a day file's flat name, without its extension (docs/spec/datasets-api.md#file-names). */
export const FLAT_NAME = '{exchange}_{type}_{date}_{symbol}';

/** The characters of `YYYY-MM-DD` that each placeholder stands for. */
export const DATE_PLACEHOLDERS: ReadonlyMap<string, { readonly start: number; readonly end: number }> =
  new Map([
    ['{date}', { start: 0, end: 10 }],
    ['{year}', { start: 0, end: 4 }],
    ['{month}', { start: 5, end: 7 }],
    ['{day}', { start: 8, end: 10 }],
  ]);

/** The folder under the download folder that holds tickhaul's state. */
export const STATE_FOLDER = '.tickhaul';

type Series = Pick<DayFile, 'exchange' | 'symbol'>;

interface SeriesNames {
  readonly series: Series;
  /** The text before, between and after the parts of the date. */
  readonly texts: readonly string[];
}

/** Splits a template into its texts and placeholders, in order. */
export function splitTemplate(template: string): readonly string[] {
  return template
    .replaceAll('{name}', FLAT_NAME)
    .split(/(\{\w+\})/)
    .filter((token) => token !== '');
}

/**
 * Creates a function that names day files by a template, without an extension. It caches the names of the
 * last series of each data type, since plans and manifests name up to millions of files, mostly series after
 * series.
 */
export function createFileNamer(template: string): (file: DayFile) => string {
  const tokens = splitTemplate(template);
  const dates = tokens.flatMap((token) => DATE_PLACEHOLDERS.get(token) ?? []);
  /** Names of the last series of each data type. */
  const lastNames = new Map<string, SeriesNames>();
  return (file) => {
    let names = lastNames.get(file.dataType);
    if (names === undefined || !isSameSeries(names.series, file)) {
      names = formatSeriesNames(tokens, file);
      lastNames.set(file.dataType, names);
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

function isSameSeries({ exchange, symbol }: Series, file: DayFile): boolean {
  return file.symbol === symbol && file.exchange === exchange;
}

/** Separates texts and dates; no name contains it. */
const NAME_SEPARATOR = '\0';

function formatSeriesNames(tokens: readonly string[], { exchange, dataType, symbol }: DayFile): SeriesNames {
  const words = new Map([
    ['{exchange}', toSafeFileName(exchange)],
    ['{type}', toSafeFileName(dataType)],
    ['{symbol}', toSafeFileName(symbol)],
  ]);
  const pieces = tokens.map((token) =>
    DATE_PLACEHOLDERS.has(token) ? `${NAME_SEPARATOR}d${NAME_SEPARATOR}` : (words.get(token) ?? token),
  );
  const path = pieces.join('').split('/').map(escapeDotFolder).join('/');
  const texts = path.split(NAME_SEPARATOR).filter((_, at) => at % 2 === 0);
  return { series: { exchange, symbol }, texts };
}

/** A folder of dots alone has a special meaning, and the state folder is not for day files. */
function escapeDotFolder(folder: string): string {
  return /^\.+$/.test(folder) || folder === STATE_FOLDER ? folder.replaceAll('.', '-') : folder;
}

/** Whether a file name can contain this text unchanged. */
export function isSafeFileName(text: string): boolean {
  return toSafeFileName(text) === text;
}

/**
 * Characters that the service's own client replaces (docs/spec/datasets-api.md#file-names), and control
 * characters.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are not allowed in file names
const UNSAFE_CHARACTER = /[:\\/?*<>|"\u0000-\u001f\u007f]/;
const ALL_UNSAFE_CHARACTERS = new RegExp(UNSAFE_CHARACTER, 'g');

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern detects control characters
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** Whether a text has control characters, which a layout must not contain. */
export function hasControls(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

/** Replaces the characters that a file name cannot contain. */
export function toSafeFileName(value: string): string {
  return UNSAFE_CHARACTER.test(value) ? value.replace(ALL_UNSAFE_CHARACTERS, '-') : value;
}
