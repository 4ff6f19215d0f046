import { posix } from 'node:path';
import { usageError } from '../../base/errors.js';
import { compareSeries, DAY_FILE_EXTENSION, type DayFile, isSameDayFile } from '../../day-files/day-file.js';
import {
  dayFileName,
  HIVE_LAYOUT,
  type LayoutChoice,
  olderLayoutOf,
  parseLayout,
} from '../../day-files/layout.js';
import { createShardTest } from '../../day-files/shard.js';
import { type JsonLine, parseJsonLines } from '../../store/manifest/json-line.js';
import type { ExpectedBytes, PlannedFile } from '../download-options.js';
import type { DownloadPlan, DownloadPlanSource } from './create-download-plan.js';
import {
  createDiskLookup,
  createOlderPathFinder,
  type FilePaths,
  lookUpPaths,
  reportOlderKeys,
} from './disk-state.js';
import { listPrefixesOfPaths } from './plan-prefixes.js';
import { conversionWarnings, createOutputPlanner } from './planned-paths.js';
import { createSizeEstimator } from './size-estimator.js';

/** A day file of a list. */
export interface ListedFile {
  readonly file: DayFile;
  /** Relative to the download folder, with `/`; undefined for the path of the layout. */
  readonly path?: string | undefined;
  /** Status in the list; such a file is not requested. */
  readonly refusal?: 'pending' | 'unavailable' | undefined;
  /** The only accepted content. */
  readonly expected?: ExpectedBytes | undefined;
}

/** A listed file with its path. */
export interface PlacedFile extends ListedFile {
  readonly path: string;
  /** Path of the file, or of a computed type of it, with a name that ends in `extension`. */
  pathOf(file: DayFile, extension: string): string;
}

/** Listed files by path, in the order of the list. */
export type PlacedFiles = ReadonlyMap<string, PlacedFile>;

/**
 * Assigns a path to each file of a list, without duplicates.
 * @param layout for all files; undefined for the paths of the list, and flat for files without one.
 * @throws usage error if two day files would have the same path.
 */
export function placeFiles(files: readonly ListedFile[], layout: LayoutChoice | undefined): PlacedFiles {
  const layoutPathOf = parseLayout(layout ?? 'flat').pathOf;
  const placed = new Map<string, PlacedFile>();
  for (const listed of files) {
    const { file } = listed;
    const listedPath = layout === undefined ? listed.path : undefined;
    const pathOf = listedPath === undefined ? layoutPathOf : createSiblingPaths(file, listedPath);
    const path = listedPath ?? layoutPathOf(file, 'csv.gz');
    const owner = placed.get(path);
    if (owner && !isSameDayFile(owner.file, file)) {
      throw usageError(`two day files of the list would share the name ${path}; use --layout`);
    }
    if (!owner) placed.set(path, { ...listed, path, pathOf });
  }
  return placed;
}

const OLDER_HIVE_LAYOUT = olderLayoutOf(HIVE_LAYOUT);

/**
 * Paths of the conversions of a day file with a given path: hive paths stay hive, others are next to the file.
 */
function createSiblingPaths(file: DayFile, path: string): PlacedFile['pathOf'] {
  if (HIVE_LAYOUT.pathOf(file, 'csv.gz') === path) return HIVE_LAYOUT.pathOf;
  if (OLDER_HIVE_LAYOUT?.pathOf(file, 'csv.gz') === path) return OLDER_HIVE_LAYOUT.pathOf;
  const stem = path.replace(/\.csv\.gz$/, '');
  const isNamed = posix.basename(stem) === dayFileName(file);
  return (output, extension) => {
    if (output.dataType === file.dataType) return `${stem}.${extension}`;
    const name = isNamed
      ? posix.join(posix.dirname(stem), dayFileName(output))
      : `${stem}_${output.dataType}`;
    return `${name}.${extension}`;
  };
}

export interface ListInput extends Omit<DownloadPlanSource, 'selection' | 'record'> {
  readonly files: PlacedFiles;
}

/** A list planned against the existing files, without the exchange's record. */
export type ListPlan = Pick<DownloadPlan, 'options' | 'files' | 'filesInPathOrder' | 'sizeOf' | 'warnings'>;

export async function planList(input: ListInput): Promise<ListPlan> {
  const { files, manifest, options, mayRead } = input;
  const { existing, convert } = options;
  const planOutputs = createOutputPlanner(convert);
  const isInShard = createShardTest(options.shard);
  const selected = [...files.values()].filter(({ file }) => isInShard(file));
  const findOlderInHive = createOlderPathFinder(manifest, HIVE_LAYOUT, planOutputs);
  /** A lock file names the only accepted paths. */
  const findOlderPaths = ({ file, path, expected }: PlacedFile, paths: FilePaths): FilePaths | undefined =>
    expected || path !== HIVE_LAYOUT.pathOf(file, 'csv.gz') ? undefined : findOlderInHive(file, paths);
  const findPaths = ({ file, path, pathOf }: PlacedFile): FilePaths => ({
    path,
    outputs: planOutputs(file, pathOf),
  });
  const listPaths = (placed: PlacedFile): readonly string[] => {
    const paths = findPaths(placed);
    return [paths, findOlderPaths(placed, paths)].flatMap((each) =>
      each ? [each.path, ...each.outputs.map((output) => output.path)] : [],
    );
  };
  const lookup = await input.destination.openLookup(
    () => listPrefixesOfPaths(selected.flatMap(listPaths)),
    input.signal,
  );

  const planFile = (placed: PlacedFile, lookUp: DiskLookup): PlannedFile => {
    const { file, refusal, expected } = placed;
    const paths = findPaths(placed);
    const older = findOlderPaths(placed, paths);
    const { path, outputs, state } = lookUpPaths(file, paths, older, lookUp, () => reportOlderKeys(input));
    const base = { file, path, outputs, expected, mayBeAbsent: false };
    const { replacesEmpty, ...kept } = state;
    const mayReplaceEmpty = replacesEmpty && refusal === undefined && expected === undefined && mayRead(file);
    const isOtherContent = expected && manifest.get(path)?.sha256 !== expected.sha256;
    if (kept.status === 'skip')
      return {
        ...base,
        ...kept,
        ...(mayReplaceEmpty && { replacesEmpty }),
        ...(isOtherContent && { action: 'check' }),
      };
    if (refusal) return { ...base, status: refusal, action: 'nothing' };
    if (!mayRead(file)) return { ...base, status: 'unauthorized', action: 'nothing' };
    return { ...base, ...kept };
  };

  function* planAll(all: Iterable<PlacedFile>): Generator<PlannedFile> {
    const lookUp = createDiskLookup(lookup, manifest, existing, convert);
    for (const placed of all) yield planFile(placed, lookUp);
  }

  return {
    options,
    files: () => planAll(selected),
    filesInPathOrder: () => planAll([...selected].sort(compareBySeries)),
    sizeOf: createSizeEstimator(manifest.history),
    warnings: conversionWarnings(
      convert,
      selected.map(({ file }) => file.dataType),
    ),
  };
}

function compareBySeries({ file: a }: PlacedFile, { file: b }: PlacedFile): number {
  return compareSeries(a, b) || a.day - b.day;
}

type DiskLookup = ReturnType<typeof createDiskLookup>;

/**
 * Parses a list of day files: the JSON lines of `plan --json` or `--failed-to`, or some of them. Only `exchange`,
 * `dataType`, `symbol` and `date` are required; lines of other events than `file` are ignored. A list may be empty.
 * @param name of the list, for errors.
 * @throws usage error with file and line.
 */
export function parseFileList(text: string, name: string): readonly ListedFile[] {
  const files: ListedFile[] = [];
  for (const line of parseJsonLines(text, name)) {
    const event = line.has('event') ? line.text('event') : 'file';
    if (event === 'file') files.push(parseListedFile(line));
    else if (event === 'summary' && line.has('exitCode'))
      assertListComplete(line.count('exitCode'), files, name);
  }
  return files;
}

/** @throws usage error if the list was written by a run that failed before it named a file. */
function assertListComplete(exitCode: number, files: readonly ListedFile[], name: string): void {
  if (exitCode === 0 || files.length > 0) return;
  throw usageError(
    `${name}: the list has no day file, because the run that wrote it ended with code ${exitCode}; run it again`,
  );
}

function parseListedFile(line: JsonLine): ListedFile {
  const file = line.dayFile();
  const status = line.has('status') ? line.text('status') : undefined;
  const path = line.has('path') ? line.path('path') : undefined;
  return {
    file,
    // The path of a conversion is that of its output.
    path: path?.endsWith(DAY_FILE_EXTENSION) ? path : undefined,
    refusal: status === 'pending' || status === 'unavailable' ? status : undefined,
  };
}
