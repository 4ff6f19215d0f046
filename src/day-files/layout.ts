import { TickhaulError, usageError } from '../base/errors.js';
import { withoutOutputExtension } from '../base/output-format-names.js';
import { DATA_TYPES, dataTypeColumns } from './data-types.js';
import { formatDay } from './day.js';
import { createFileNamer, type DayFile, FLAT_NAME, hasControls, STATE_FOLDER } from './day-file.js';

/** A day file as the argument of a layout function. */
export interface LayoutFile {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly date: string;
  /** Flat name, without its extension. */
  readonly name: string;
}

/** Returns the path of a day file under the download folder, with `/`. The extension is optional. */
export type LayoutFunction = (file: LayoutFile) => string;

/** `flat`, `hive`, a template, or a function. */
export type LayoutChoice = string | LayoutFunction;

/** Maps day files to paths under the download folder, with `/` between folders. */
export interface Layout {
  readonly template: string;
  /** False for a layout function, whose paths the template does not describe. */
  readonly isTemplate: boolean;
  /** Whether day files that differ always have paths that differ, apart from replaced characters. */
  readonly isDistinct: boolean;
  /** @param extension without the leading dot: `csv.gz`, `parquet`. */
  pathOf(file: DayFile, extension: string): string;
}

/**
 * Readers of partitioned folders let a folder's value win over a column of the same name. So no key but `exchange`, which
 * is equal in every row, is the name of a column: `type` is one of options_chain, and `symbol` differs from row to row in
 * a grouped file.
 */
const HIVE_TEMPLATE = 'exchange={exchange}/data_type={type}/dataset_symbol={symbol}/date={date}/{name}';

const NAMED_TEMPLATES: ReadonlyMap<string, string> = new Map([
  ['flat', '{name}'],
  ['hive', HIVE_TEMPLATE],
]);

/** The columns of all data types. */
const COLUMN_NAMES: ReadonlySet<string> = new Set(
  DATA_TYPES.flatMap((type) => dataTypeColumns(type) ?? []).map(({ name }) => name),
);

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
 * Parses `flat`, `hive` or a template such as `{exchange}/{type}/{symbol}/{date}`
 * (docs/spec/command-line.md#layouts). A template has to give each day file its own path; a layout function
 * may choose any paths inside the folder. A known file extension in a template or path is ignored.
 * @throws usage error for an unknown placeholder, a path outside the folder, or missing placeholders. For a
 * function, `pathOf` throws it.
 */
export function parseLayout(choice: LayoutChoice): Layout {
  if (typeof choice === 'function') return createFunctionLayout(choice);
  if (lastTemplate?.text !== choice) lastTemplate = { text: choice, layout: parseTemplate(choice) };
  return lastTemplate.layout;
}

/** The layout `hive`. */
export const HIVE_LAYOUT = parseTemplate('hive');

/** The layout `hive` with its older keys, under which folders may have files. */
const OLDER_HIVE_LAYOUT = parseTemplate('exchange={exchange}/type={type}/symbol={symbol}/date={date}/{name}');

/** Whether a location is below folders with the keys of `hive`. */
export function isInHiveFolder(location: string): boolean {
  return /(?<![^\\/])exchange=[^\\/]*[\\/]data_type=[^\\/]*[\\/]dataset_symbol=[^\\/]*[\\/]/.test(location);
}

/** The layout with the older keys of `hive`; undefined for another layout. */
export function olderLayoutOf({ template, isTemplate }: Layout): Layout | undefined {
  return isTemplate && template === HIVE_TEMPLATE ? OLDER_HIVE_LAYOUT : undefined;
}

/**
 * Warnings about folder keys that readers would take for a column of the files: `symbol={symbol}` replaces the symbols of a
 * grouped file by its name.
 */
export function describeColumnKeys({ template, isTemplate }: Layout): readonly string[] {
  if (!isTemplate) return [];
  return [...template.matchAll(/(?<=^|\/)([^/=]+)=([^/]*)(?=\/)/g)].flatMap(([folder, key = '', value]) =>
    !COLUMN_NAMES.has(key) || (key === 'exchange' && value === '{exchange}')
      ? []
      : `--layout: query engines read the folder ${folder} in place of the column ${key} of the files; rename the key, as in data_type={type} and dataset_symbol={symbol}`,
  );
}

/** Why files under the older keys of `hive` are used where they are; `where` is the folder or bucket. */
export function describeOlderKeys(where: string): string {
  return `${where}: files in the older folders type=… and symbol=… of the layout hive count as present; new files go to data_type=… and dataset_symbol=…`;
}

/** The last template parsed, cached because a worker needs the same layout for every slice. */
let lastTemplate: { readonly text: string; readonly layout: Layout } | undefined;

function createFunctionLayout(formatName: LayoutFunction): Layout {
  return {
    template: 'as a function',
    isTemplate: false,
    isDistinct: false,
    pathOf: (file, extension) => `${callNameFunction(formatName, file)}.${extension}`,
  };
}

function callNameFunction(formatName: LayoutFunction, file: DayFile): string {
  const { exchange, dataType, symbol, day } = file;
  const name = dayFileName(file);
  const path = callUserFunction(name, () =>
    formatName({ exchange, dataType, symbol, date: formatDay(day), name }),
  );
  if (typeof path !== 'string') throw usageError(`--layout: the function returned no text for ${name}`);
  const stem = withoutExtension(path);
  assertFolders(path, stem);
  return stem;
}

/** @throws usage error if the user's function throws. */
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
  const stem = path.replace(/\.csv(\.gz)?$/, '');
  return stem === path ? withoutOutputExtension(path) : stem;
}

function parseTemplate(text: string): Layout {
  const template = withoutExtension(NAMED_TEMPLATES.get(text) ?? text);
  const used = assertPlaceholders(text, template);
  assertFolders(text, template);
  const hasDate = used.has('date') || (used.has('year') && used.has('month') && used.has('day'));
  if (!used.has('name') && !(hasDate && used.has('exchange') && used.has('type') && used.has('symbol'))) {
    throw usageError(
      `--layout "${text}" would give different day files one name: use {name}, or all of {exchange}, {type}, {symbol} and {date}`,
    );
  }
  const formatName = createFileNamer(template);
  return {
    template,
    isTemplate: true,
    isDistinct: used.has('name'),
    pathOf: (file, extension) => `${formatName(file)}.${extension}`,
  };
}

/** The flat name of a day file, without its extension (docs/spec/datasets-api.md#file-names). */
export const dayFileName = createFileNamer(FLAT_NAME);

function assertPlaceholders(text: string, template: string): ReadonlySet<string> {
  const used = new Set<string>();
  for (const [whole, name] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (name === undefined || !PLACEHOLDERS.includes(name)) {
      throw usageError(
        `--layout "${text}": unknown ${whole}; use ${PLACEHOLDERS.map((p) => `{${p}}`).join(' ')}`,
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
    throw usageError(`--layout ${JSON.stringify(text)}: contains control characters; remove them`);
  const folders = template.split('/');
  if (folders.some((folder) => folder === '' || folder === '.' || folder === '..')) {
    throw usageError(
      `--layout "${text}" has an empty, "." or ".." folder; it must stay under the download folder`,
    );
  }
  // Some file systems ignore case.
  if (folders.some((folder) => folder.toLowerCase() === STATE_FOLDER))
    throw usageError(
      `--layout "${text}": ${STATE_FOLDER} is reserved by tickhaul; use another folder name in the layout`,
    );
}
