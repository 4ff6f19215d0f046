import { posix } from 'node:path';
import { usageError } from '../../base/errors.js';
import { type DayFile, isSameDayFile } from '../../dataset/day-file.js';
import { dayFileName, type LayoutChoice, parseLayout } from '../../dataset/layout.js';
import { createShardTest } from '../../dataset/shard.js';
import type { CanRequest } from '../../service/key/key-coverage.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { DownloadOptions, ExpectedBytes, PlannedFile } from '../download-options.js';
import { createSizeEstimator } from '../estimate/size-estimator.js';
import type { DownloadPlan } from '../plan/create-download-plan.js';
import { createDiskLookup } from '../plan/disk-state.js';
import { conversionWarnings, createOutputPlanner } from '../plan/output-planner.js';
import { listPrefixesOfPaths } from '../plan/plan-prefixes.js';

/** A day file that a list names. */
export interface ListedFile {
  readonly file: DayFile;
  /** Relative to the download folder, with `/`; undefined for where the layout puts it. */
  readonly path?: string | undefined;
  /** What the list says of it: it is not asked for then. */
  readonly refusal?: 'pending' | 'unavailable' | undefined;
  /** The only bytes that are right. */
  readonly expected?: ExpectedBytes | undefined;
}

/** A listed file in its place. */
export interface PlacedFile extends ListedFile {
  readonly path: string;
  /** Where it goes, or what is made of it under another data type, with a name that ends in `extension`. */
  pathOf(file: DayFile, extension: string): string;
}

/** By path, in the order of the list. */
export type PlacedFiles = ReadonlyMap<string, PlacedFile>;

/**
 * Gives each file of a list its path, once.
 * @param layout for all files; undefined for the paths that the list has, and flat where it has none.
 * @throws usage error where two day files would share a path.
 */
export function placeFiles(files: readonly ListedFile[], layout: LayoutChoice | undefined): PlacedFiles {
  const inLayout = parseLayout(layout ?? 'flat').pathOf;
  const placed = new Map<string, PlacedFile>();
  for (const listed of files) {
    const { file } = listed;
    const own = layout === undefined ? listed.path : undefined;
    const pathOf = own === undefined ? inLayout : createSiblingPaths(file, own);
    const path = own ?? inLayout(file, 'csv.gz');
    const owner = placed.get(path);
    if (owner && !isSameDayFile(owner.file, file)) {
      throw usageError(`two day files of the list would share the name ${path}; give --layout`);
    }
    if (!owner) placed.set(path, { ...listed, path, pathOf });
  }
  return placed;
}

const HIVE_LAYOUT = parseLayout('hive');

/** Where files go that belong to a day file with a path of its own: hive stays hive, else they stand beside it. */
function createSiblingPaths(file: DayFile, path: string): PlacedFile['pathOf'] {
  if (HIVE_LAYOUT.pathOf(file, 'csv.gz') === path) return HIVE_LAYOUT.pathOf;
  const stem = path.replace(/\.csv\.gz$/, '');
  const isNamed = posix.basename(stem) === dayFileName(file);
  return (made, extension) => {
    if (made.dataType === file.dataType) return `${stem}.${extension}`;
    const name = isNamed ? posix.join(posix.dirname(stem), dayFileName(made)) : `${stem}_${made.dataType}`;
    return `${name}.${extension}`;
  };
}

export interface ListInput {
  readonly files: PlacedFiles;
  readonly manifest: Manifest;
  readonly destination: Pick<Destination, 'openLookup'>;
  readonly options: Pick<DownloadOptions, 'existing' | 'convert' | 'shard'>;
  readonly mayRead: CanRequest;
  readonly signal?: AbortSignal | undefined;
}

/** A list worked out against what stands on disk; the exchange's record isn't asked for. */
export type ListPlan = Pick<DownloadPlan, 'files' | 'filesInPathOrder' | 'sizeOf' | 'warnings'>;

export async function planList(input: ListInput): Promise<ListPlan> {
  const { files, manifest, options, mayRead } = input;
  const { existing, convert } = options;
  const outputsOf = createOutputPlanner(convert);
  const isOurs = createShardTest(options.shard);
  const ours = [...files.values()].filter(({ file }) => isOurs(file));
  const pathsOf = ({ file, path, pathOf }: PlacedFile): readonly string[] => [
    path,
    ...outputsOf(file, pathOf).map((output) => output.path),
  ];
  const survey = await input.destination.openLookup(
    () => listPrefixesOfPaths(ours.flatMap(pathsOf)),
    input.signal,
  );

  const planOne = (placed: PlacedFile, stateOf: DiskLookup): PlannedFile => {
    const { file, path, refusal, expected } = placed;
    const outputs = outputsOf(file, placed.pathOf);
    const base = { file, path, outputs, expected, mayBeAbsent: false };
    const state = stateOf(file, { path, outputs });
    const isOther = expected && manifest.get(path)?.sha256 !== expected.sha256;
    if (state.status === 'skip') return { ...base, ...state, ...(isOther && { action: 'check' }) };
    if (refusal) return { ...base, status: refusal, action: 'nothing' };
    if (!mayRead(file)) return { ...base, status: 'unauthorized', action: 'nothing' };
    return { ...base, ...state };
  };

  function* planAll(all: Iterable<PlacedFile>): Generator<PlannedFile> {
    const stateOf = createDiskLookup(survey, manifest, existing, convert);
    for (const placed of all) yield planOne(placed, stateOf);
  }

  return {
    files: () => planAll(ours),
    filesInPathOrder: () => planAll([...ours].sort(bySeries)),
    sizeOf: createSizeEstimator(manifest.history),
    warnings: conversionWarnings(
      convert,
      ours.map(({ file }) => file.dataType),
    ),
  };
}

function bySeries({ file: a }: PlacedFile, { file: b }: PlacedFile): number {
  if (a.exchange !== b.exchange) return a.exchange < b.exchange ? -1 : 1;
  if (a.dataType !== b.dataType) return a.dataType < b.dataType ? -1 : 1;
  if (a.symbol !== b.symbol) return a.symbol < b.symbol ? -1 : 1;
  return a.day - b.day;
}

type DiskLookup = ReturnType<typeof createDiskLookup>;
