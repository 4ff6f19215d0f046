import { mayBeUndecoded, whyNotFound } from '../base/disk-files.js';
import { usageError } from '../base/errors.js';
import { findOutputFormat, withoutOutputExtension } from '../base/output-format-names.js';
import { plural } from '../base/units.js';
import { type Day, formatDay } from '../day-files/day.js';
import { DAY_FILE_EXTENSION, type DayFile, parseDayFileName } from '../day-files/day-file.js';
import type { FindingEvent } from '../events/run-events.js';
import type { Destination, ListedEntry } from '../store/destination.js';
import type { StoredFileInfo } from '../store/files.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { parsePartPath } from '../store/part-path.js';
import { isInside } from '../store/paths.js';
import { StrayFiles } from '../store/stray-files.js';
import type { FileCheck, VerifyScope } from './file-checks.js';

/** Contents of a download folder besides the recorded files. Paths are relative to the folder, with `/`. */
export interface FolderContents {
  /** Day files without a record. */
  readonly unknown: readonly string[];
  /** Outputs of `convert`. Outputs of downloads are in the manifest. */
  readonly outputs: readonly string[];
  /** Files and folders whose names Node cannot decode, so that they cannot be accessed. */
  readonly undecoded: readonly string[];
  readonly parts: readonly string[];
  /** One line about the files that were passed over because of their names; undefined for none. */
  readonly passedOver: string | undefined;
  /** The listing of a store's objects; undefined for a folder, whose files are checked one by one. */
  readonly listed: ReadonlyMap<string, StoredFileInfo> | undefined;
}

/** Lists a download folder. @throws usage error for a path that neither exists nor is recorded; `disk`. */
export async function listFolderContents(
  destination: Destination,
  scope: VerifyScope,
  manifest: Manifest,
  { roots, outputs: recorded }: RecordedFiles,
  names: ReadonlyMap<string, string> | undefined,
  signal: AbortSignal,
): Promise<FolderContents> {
  const unknown: string[] = [];
  const outputs: string[] = [];
  const undecoded: string[] = [];
  const parts: string[] = [];
  const listed = destination.hasLocalPaths ? undefined : new Map<string, StoredFileInfo>();
  const strays = new StrayFiles(destination.files);
  const isPassedOver = async (path: string): Promise<boolean> =>
    !recorded.has(path) && (await strays.has(path, destination.locate, signal));
  const isInScope = (path: string): boolean => scope.includes(parseFileName(path));
  const classify = (path: string): void => {
    if (path.endsWith('.part')) {
      if (isInScope(path)) parts.push(path);
    } else if (path.endsWith(DAY_FILE_EXTENSION)) {
      if (isInScope(path)) unknown.push(path);
    } else if (findOutputFormat(path) !== undefined && !recorded.has(path) && isInScope(path)) {
      (isInside(path) ? outputs : unknown).push(path);
    }
  };
  for (const root of scope.roots) {
    for await (const files of listFiles(destination, root, roots.has(root), names?.get(root), signal)) {
      for (const { path, bytes, etag } of files) {
        if (mayBeUndecoded(path) && !(await destination.files.stat(destination.locate(path), signal))) {
          undecoded.push(path);
          continue;
        }
        if (bytes !== undefined) listed?.set(path, { bytes, etag });
        if (manifest.has(path)) continue;
        // A file that the user named is reported.
        if (path === root || !(await isPassedOver(path))) classify(path);
      }
    }
  }
  return { unknown, outputs, undecoded, parts, passedOver: strays.describe(), listed };
}

/** The day file that a file's name identifies: of a day file, of a conversion's output, or of a part of either. */
function parseFileName(path: string): DayFile | undefined {
  const whole = parsePartPath(path)?.finalPath ?? path;
  return parseDayFileName(
    findOutputFormat(whole) ? `${withoutOutputExtension(whole)}${DAY_FILE_EXTENSION}` : whole,
  );
}

async function* listFiles(
  destination: Destination,
  root: string,
  isRecorded: boolean,
  typed: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly ListedEntry[]> {
  const location = destination.locate(root);
  const file = root === '' ? undefined : await destination.files.stat(location, signal);
  if (file) return yield [{ path: root, ...file }];
  let exists = isRecorded || root === '';
  for await (const files of destination.list(root, signal)) {
    exists ||= files.length > 0;
    yield files;
  }
  // An empty folder exists too.
  if (exists || (await destination.openLookup(() => [root], signal)).has(root)) return;
  throw usageError(
    `${typed ?? location}: ${whyNotFound(location, 'there is no such file or folder, and no record of one')}`,
  );
}

/** The recorded files of a scope, collected in one pass, since each pass reads up to a million records. */
interface RecordedFiles {
  /** Number of files to check. */
  readonly files: number;
  /** Roots of the scope that contain recorded files. */
  readonly roots: ReadonlySet<string>;
  /** Paths of all recorded conversions and exports in the folder. */
  readonly outputs: ReadonlySet<string>;
  /** Days of all day files in the folder, including dropped ones. */
  readonly days: SeriesDayIndex;
}

/** @param exports checks of recorded exports in the scope. */
export function readRecordedFiles(
  manifest: Manifest,
  scope: VerifyScope,
  exports: readonly FileCheck[],
): RecordedFiles {
  const roots = new Set<string>();
  const outputs = new Set<string>();
  const days = createSeriesDayIndex(scope.hasDay);
  let files = 0;
  const isUnderRoot = (path: string): boolean => {
    const root = scope.findRoot(path);
    if (root !== undefined) roots.add(root);
    return root !== undefined;
  };
  for (const { path, file, dropped, conversions: entries = [] } of manifest.records()) {
    for (const entry of entries) outputs.add(entry.path);
    const isBelow = isUnderRoot(path);
    const entriesBelow = entries.filter((entry) => isUnderRoot(entry.path));
    // A file outside the checked paths does not count as one of the selection.
    const isSelected = (isBelow || entriesBelow.length > 0) && scope.includes(file);
    const isInScope = isBelow && isSelected;
    // A day outside the scope still fills a gap.
    days.add(file, isInScope);
    if (isInScope && !dropped) files++;
    if (isSelected) files += entriesBelow.length;
  }
  for (const { path } of exports) {
    isUnderRoot(path);
    outputs.add(path);
  }
  return { files: files + exports.length, roots, outputs, days };
}

/** Number of missing days listed in a message. */
const MAX_DAYS_SHOWN = 5;

/** The existing days of each series: one symbol of an exchange, in one data type. */
export interface SeriesDayIndex {
  /** @param isInScope whether the check covers this file. Gaps are reported only between covered files. */
  add(file: DayFile, isInScope: boolean): void;
  /** Missing days between the first and the last covered day of each series. */
  gaps(): Generator<FindingEvent>;
}

interface Series {
  /** One of its files. */
  readonly file: DayFile;
  readonly days: Set<Day>;
  first: number;
  last: number;
}

/** @param hasDay whether a day is selected: others are no gap. */
function createSeriesDayIndex(hasDay: VerifyScope['hasDay']): SeriesDayIndex {
  const seriesByKey = new Map<string, Series>();
  return {
    add(file, isInScope) {
      const key = `${file.exchange}\n${file.dataType}\n${file.symbol}`;
      const series = seriesByKey.get(key) ?? {
        file,
        days: new Set(),
        first: Number.POSITIVE_INFINITY,
        last: Number.NEGATIVE_INFINITY,
      };
      seriesByKey.set(key, series);
      series.days.add(file.day);
      if (!isInScope) return;
      series.first = Math.min(series.first, file.day);
      series.last = Math.max(series.last, file.day);
    },
    *gaps() {
      for (const series of seriesByKey.values()) {
        const { exchange } = series.file;
        const missingDays = findMissingDays(series).filter((day) => hasDay(exchange, day));
        if (missingDays.length > 0) yield createGapFinding(series.file, missingDays);
      }
    },
  };
}

function findMissingDays({ days, first, last }: Series): readonly Day[] {
  const missingDays: Day[] = [];
  for (let day = first + 1; day < last; day++) if (!days.has(day as Day)) missingDays.push(day as Day);
  return missingDays;
}

function createGapFinding({ exchange, dataType, symbol }: DayFile, days: readonly Day[]): FindingEvent {
  const shown = days.slice(0, MAX_DAYS_SHOWN).map(formatDay).join(', ');
  const more = days.length > MAX_DAYS_SHOWN ? ` and ${days.length - MAX_DAYS_SHOWN} more` : '';
  const message = `${exchange} ${dataType} ${symbol}: ${plural(days.length, 'day')} missing in between: ${shown}${more}`;
  return { event: 'finding', kind: 'gap', message, series: { exchange, dataType, symbol }, days };
}
