import { mayBeUndecoded } from '../../base/disk-files.js';
import { abortReason } from '../../base/errors.js';
import { OUTPUT_FORMAT_TABLE } from '../../base/output-format-names.js';
import { plural } from '../../base/units.js';
import { readHeaderNames } from '../../convert/naming/day-file-lookup.js';
import { parseOutputType, parseSources } from '../../convert/provenance.js';
import type { Day } from '../../day-files/day.js';
import { DAY_FILE_EXTENSION, type DayFile, parseDayFileName } from '../../day-files/day-file.js';
import { dayFileName } from '../../day-files/layout.js';
import { type DayFileSelection, openDayFileFilter } from '../../day-files/series-filter.js';
import { inferDataType } from '../../format/csv/csv-header.js';
import { readParquetFooter } from '../../format/parquet/parquet-footer.js';
import type { Destination } from '../../store/destination.js';
import { absoluteLocation } from '../../store/location.js';
import { isDataPath } from '../../store/paths.js';
import { StrayFiles } from '../../store/stray-files.js';
import {
  canQuery,
  type FileColumn,
  findViewColumns,
  isSqlName,
  toNameKey,
  toSqlColumns,
  type ViewFile,
} from './view-file.js';

const PARQUET_EXTENSION = `.${OUTPUT_FORMAT_TABLE.parquet.extensions[0]}`;
/** Files whose columns are read at once; most of the time is latency. */
const MAX_OPEN_FILES = 16;

/** Type in a file of each kind of a CSV's column. */
const CSV_TYPES = {
  text: 'string',
  time: 'int64',
  number: 'double',
  boolean: 'boolean',
  integer: 'int64',
} as const;

export interface ViewFiles {
  /** Each day file once, with the columns of its file. */
  readonly files: readonly ViewFile[];
  /** All paths of Parquet and CSV files, also of those that no view reads. */
  readonly paths: readonly string[];
}

export interface FindViewFilesOptions {
  /** Only files below this path of the destination; empty for all. */
  readonly under: string;
  /** Of computed types by their own names; by default all. */
  readonly selection?: DayFileSelection | undefined;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Finds the files of a folder that hold its day files: the Parquet file of each, else the CSV.
 * @throws TickhaulError `corrupt` for a file without a readable start or footer; `disk`, errors of the store.
 */
export async function findViewFiles(
  destination: Destination,
  { under, selection = {}, warn, signal }: FindViewFilesOptions,
): Promise<ViewFiles> {
  const recorded = await readRecordedFiles(destination, warn, signal);
  const strays = new StrayFiles(destination.files);
  const { parquet, csv, others, unusable } = await listPaths(destination, under, signal, async (path) =>
    recorded.has(path) ? false : strays.has(path, destination.locate, signal),
  );
  const passedOver = strays.describe();
  if (passedOver !== undefined) warn(passedOver);
  const [firstUnusable] = unusable;
  if (firstUnusable !== undefined)
    warn(
      `${plural(unusable.length, 'file')} left out, such as ${firstUnusable}: a path must be valid UTF-8, without a backslash, and not begin like a drive (C:); rename it`,
    );
  const share = createSharer();
  /** The files of known data type. */
  const describeAll = async (paths: readonly string[], describe: Describe): Promise<readonly ViewFile[]> => {
    const described: (ViewFile | undefined)[] = [];
    const remaining = paths.entries();
    const describeRemaining = async (): Promise<void> => {
      for (const [i, path] of remaining) {
        if (signal.aborted) throw abortReason(signal);
        const file = await describe(destination, path, recorded.get(path), signal);
        described[i] = file && { ...file, columns: share(file.columns) };
      }
    };
    await Promise.all(Array.from({ length: MAX_OPEN_FILES }, describeRemaining));
    return described.filter((file) => file !== undefined);
  };

  const covered = new Set<string>();
  const isNew = (file: ViewFile): boolean => {
    const keys = identityKeys(file.path, file.file);
    const isKnown = keys.some((key) => covered.has(key));
    for (const key of keys) covered.add(key);
    return !isKnown;
  };
  const described = await describeAll(parquet, describeParquet);
  if (described.length < parquet.length)
    warn(
      `${plural(parquet.length - described.length, 'Parquet file')} of unknown data type, of several day files, or with nested columns, left out`,
    );
  const converted = described.filter(isNew);
  if (converted.length < described.length)
    warn(
      `${plural(described.length - converted.length, 'Parquet file')} left out: other files hold the same day files`,
    );
  const unconverted = csv.filter(
    (path) =>
      !identityKeys(path, recorded.get(path) ?? parseDayFileName(path)).some((key) => covered.has(key)),
  );
  const sources = await describeAll(unconverted, describeCsv);
  if (sources.length < unconverted.length)
    warn(`${plural(unconverted.length - sources.length, 'day file')} of unknown data type left out`);
  const files = [...converted, ...sources.filter(isNew)];
  const withUnnamed = files.filter(({ columns }) => columns.some(({ name }) => name === ''));
  const [firstUnnamed] = withUnnamed;
  if (firstUnnamed)
    warn(
      `${plural(withUnnamed.length, 'file')} with columns that are left out, such as ${firstUnnamed.path}: DuckDB requires names, and ignores their case`,
    );
  const filter = await openDayFileFilter(selection, () => files.flatMap(({ file }) => file ?? []));
  const selected = files.filter(({ file, type }) =>
    file || !filter.selectsTypesOnly
      ? filter.matches(file)
      : filter.hasSeries({ exchange: '', dataType: type, symbol: '', day: 0 as Day }) &&
        filter.isInShard(undefined),
  );
  filter.assertMatched();
  return { files: selected, paths: [...parquet, ...csv, ...others, ...unusable] };
}

/** Reads what a file holds; undefined if its data type is unknown. */
type Describe = (
  destination: Destination,
  path: string,
  recorded: DayFile | undefined,
  signal: AbortSignal,
) => Promise<ViewFile | undefined>;

const describeParquet: Describe = async (destination, path, recorded, signal) => {
  const location = destination.locate(path);
  const opened = await destination.files.openRandom(location, signal);
  const footer = await readParquetFooter(opened, location).finally(() => opened.close());
  const { columns, keyValues } = footer;
  const [source, ...others] = parseSources(keyValues);
  // Other files may hold the rows of some of them, and would count them twice.
  if (others.length > 0) return undefined;
  const file =
    recorded ??
    (source && parseDayFileName(source.name)) ??
    parseDayFileName(`${stemOf(path)}${DAY_FILE_EXTENSION}`);
  const type = parseOutputType(keyValues) ?? file?.dataType;
  if (type === undefined || !isSqlName(type) || footer.leaves.some(({ isNested }) => isNested))
    return undefined;
  return { path, type, file: file && { ...file, dataType: type }, columns: toSqlColumns(columns) };
};

const describeCsv: Describe = async (destination, path, recorded, signal) => {
  const names = await readHeaderNames(destination.files, destination.locate(path), signal);
  const file = recorded ?? parseDayFileName(path);
  const type = file?.dataType ?? (names && inferDataType(names));
  if (type === undefined) return undefined;
  const known = findViewColumns(type);
  const kinds = new Map(known.map(({ name, kind }) => [toNameKey(name), kind]));
  // A day without data may be an empty file, which has no header.
  const columns = (names ?? known.map(({ name }) => name)).map((name) => ({
    name,
    type: CSV_TYPES[kinds.get(toNameKey(name)) ?? 'text'],
  }));
  return { path, type, file, columns: toSqlColumns(columns) };
};

/** The day file of each recorded path. */
async function readRecordedFiles(
  destination: Destination,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DayFile>> {
  const files = new Map<string, DayFile>();
  for (const { path, file, conversions } of (await destination.readRecords({ warn, signal })) ?? []) {
    files.set(path, file);
    for (const { path: output, computed } of conversions ?? [])
      files.set(output, computed === undefined ? file : { ...file, dataType: computed });
  }
  return files;
}

/** @returns `others` are the paths of files that are passed over. */
async function listPaths(
  destination: Destination,
  under: string,
  signal: AbortSignal,
  isPassedOver: (path: string) => Promise<boolean>,
) {
  const parquet: string[] = [];
  const csv: string[] = [];
  const others: string[] = [];
  const unusable: string[] = [];
  const root = absoluteLocation(destination.locate(''));
  for await (const entries of destination.list(under, signal)) {
    for (const { path } of entries) {
      const list = path.endsWith(PARQUET_EXTENSION)
        ? parquet
        : path.endsWith(DAY_FILE_EXTENSION)
          ? csv
          : undefined;
      if (!list) continue;
      if (await isPassedOver(path)) {
        others.push(path);
        continue;
      }
      const isUsable =
        isDataPath(path) && canQuery(root, path) && (await isDecoded(destination, path, signal));
      (isUsable ? list : unusable).push(path);
    }
  }
  return { parquet, csv, others, unusable };
}

/** Whether a file exists at the path: otherwise its name is not valid UTF-8. */
async function isDecoded(destination: Destination, path: string, signal: AbortSignal): Promise<boolean> {
  if (!destination.hasLocalPaths || !mayBeUndecoded(path)) return true;
  return (await destination.files.stat(destination.locate(path), signal)) !== undefined;
}

/** Two files with a common key hold the same data: one beside the other, or of the same day file. */
function identityKeys(path: string, file: DayFile | undefined): readonly string[] {
  return [stemOf(path), ...(file ? [`\0${dayFileName(file)}`] : [])];
}

function stemOf(path: string): string {
  return path.slice(0, -(path.endsWith(PARQUET_EXTENSION) ? PARQUET_EXTENSION : DAY_FILE_EXTENSION).length);
}

/** Most files have the columns of others; sharing the lists saves memory. */
function createSharer(): (columns: readonly FileColumn[]) => readonly FileColumn[] {
  const shared = new Map<string, readonly FileColumn[]>();
  return (columns) => {
    const list = columns.map(({ name, type }) => ({ name, type }));
    const key = JSON.stringify(list);
    const known = shared.get(key) ?? list;
    shared.set(key, known);
    return known;
  };
}
