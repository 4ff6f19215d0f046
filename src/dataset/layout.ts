import { TickhaulError, usageError } from '../base/errors.js';
import { formatDay } from './day.js';
import type { DayFile } from './day-file.js';
import { createFileNamer, FLAT_NAME, hasControls, STATE_FOLDER } from './file-naming.js';

/** A day file as a layout of the user's own is told of it. */
export interface LayoutFile {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly date: string;
  /** What it is called in a flat folder, without its extension. */
  readonly name: string;
}

/** Names the path of a day file under the download folder, with `/`; an extension may be left out. */
export type LayoutFunction = (file: LayoutFile) => string;

/** `flat`, `hive`, a template, or a function. */
export type LayoutChoice = string | LayoutFunction;

/** Gives each day file its path under the download folder, with `/` between folders. */
export interface Layout {
  readonly template: string;
  /** Whether the template says all; else it stands for a function. */
  readonly isTemplate: boolean;
  /** Whether parts that differ always give paths that differ, but for characters that no name can have. */
  readonly isDistinct: boolean;
  /** @param extension what the name ends in, without the first dot: `csv.gz`, `parquet`. */
  pathOf(file: DayFile, extension: string): string;
}

const NAMED_TEMPLATES: ReadonlyMap<string, string> = new Map([
  ['flat', '{name}'],
  ['hive', 'exchange={exchange}/type={type}/symbol={symbol}/date={date}/{name}'],
]);

const PLACEHOLDERS: readonly string[] = [
  'exchange',
  'type',
  'date',
  'year',
  'month',
  'day',
  'symbol',
  'name',
];

/**
 * Reads `flat`, `hive` or a template such as `{exchange}/{type}/{symbol}/{date}` (contract, Selection).
 * A template names a day file wholly, so that no two of them share a path; its file extension, where it has
 * one, is left to the caller. A function may name them as it likes, but within the folder too.
 * @throws usage error for an unknown placeholder, a path that leads out of the folder, or a missing part; of a function,
 * when it names such a path.
 */
export function parseLayout(choice: LayoutChoice): Layout {
  if (typeof choice === 'function') return createFunctionLayout(choice);
  if (last?.text !== choice) last = { text: choice, layout: parseTemplate(choice) };
  return last.layout;
}

/** Each slice of a worker has a plan of its own, and mostly the same layout. */
let last: { readonly text: string; readonly layout: Layout } | undefined;

function createFunctionLayout(nameOf: LayoutFunction): Layout {
  return {
    template: 'as a function',
    isTemplate: false,
    isDistinct: false,
    pathOf: (file, extension) => `${callNameFunction(nameOf, file)}.${extension}`,
  };
}

function callNameFunction(nameOf: LayoutFunction, file: DayFile): string {
  const { exchange, dataType, symbol, day } = file;
  const name = dayFileName(file);
  const path = callUserFunction(name, () =>
    nameOf({ exchange, dataType, symbol, date: formatDay(day), name }),
  );
  if (typeof path !== 'string') throw usageError(`--layout: the function gave no text for ${name}`);
  const stem = withoutExtension(path);
  assertFolders(path, stem);
  return stem;
}

/** The function is the user's, and so is what it throws. */
function callUserFunction<T>(name: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new TickhaulError('usage', `--layout: the function threw for ${name}: ${message}`, {
      cause: error,
    });
  }
}

function withoutExtension(path: string): string {
  return path.replace(/\.(csv\.gz|csv|parquet|ndjson|ndjson\.gz|ndjson\.zst)$/, '');
}

function parseTemplate(text: string): Layout {
  const template = withoutExtension(NAMED_TEMPLATES.get(text) ?? text);
  const used = assertPlaceholders(text, template);
  assertFolders(text, template);
  const dated = used.has('date') || (used.has('year') && used.has('month') && used.has('day'));
  if (!used.has('name') && !(dated && used.has('exchange') && used.has('type') && used.has('symbol'))) {
    throw usageError(
      `--layout "${text}" would give different day files one name: use {name}, or all of {exchange}, {type}, {symbol} and {date}`,
    );
  }
  const nameOf = createFileNamer(template);
  return {
    template,
    isTemplate: true,
    isDistinct: used.has('name'),
    pathOf: (file, extension) => `${nameOf(file)}.${extension}`,
  };
}

/** The name without extension: `<exchange>_<dataType>_<YYYY-MM-DD>_<symbol>` (service interface, Datasets API). */
export const dayFileName = createFileNamer(FLAT_NAME);

function assertPlaceholders(text: string, template: string): ReadonlySet<string> {
  const used = new Set<string>();
  for (const [whole, name] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (name === undefined || !PLACEHOLDERS.includes(name)) {
      throw usageError(
        `--layout "${text}": unknown ${whole}; known are ${PLACEHOLDERS.map((p) => `{${p}}`).join(' ')}`,
      );
    }
    used.add(name);
  }
  return used;
}

function assertFolders(text: string, template: string): void {
  if (template.startsWith('/') || template.includes('\\')) {
    throw usageError(`--layout "${text}" must be a path under the download folder, with / between folders`);
  }
  if (hasControls(template))
    throw usageError(`--layout ${JSON.stringify(text)}: it has control characters; leave them out`);
  const folders = template.split('/');
  if (folders.some((folder) => folder === '' || folder === '.' || folder === '..')) {
    throw usageError(
      `--layout "${text}" has an empty, "." or ".." folder; it must stay under the download folder`,
    );
  }
  if (folders[0] === STATE_FOLDER)
    throw usageError(`--layout "${text}": ${STATE_FOLDER} is tickhaul's own folder`);
}
