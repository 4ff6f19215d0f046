import { usageError } from '../../base/errors.js';
import { type DayFile, isSameDayFile } from '../../dataset/day-file.js';
import { type LayoutChoice, parseLayout } from '../../dataset/layout.js';
import { extensionOf } from '../../format/options.js';
import type { MayRead } from '../../service/key/key-coverage.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { createSizes } from '../estimate/sizes.js';
import { createDiskLookup } from '../plan/disk-state.js';
import type { Plan } from '../plan/plan.js';
import type { DownloadOptions, ExpectedBytes, PlannedFile } from '../types.js';

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
  /** Where a conversion goes whose name ends in this, without the first dot. */
  pathAs(extension: string): string;
}

/** By path, in the order of the list. */
export type PlacedFiles = ReadonlyMap<string, PlacedFile>;

/**
 * Gives each file of a list its path, once.
 * @param layout for all files; undefined for the paths that the list has, and flat where it has none.
 * @throws usage error where two day files would share a path.
 */
export function placeFiles(files: readonly ListedFile[], layout: LayoutChoice | undefined): PlacedFiles {
  const { pathOf } = parseLayout(layout ?? 'flat');
  const placed = new Map<string, PlacedFile>();
  for (const listed of files) {
    const { file } = listed;
    const own = layout === undefined ? listed.path?.replace(/\.csv\.gz$/, '') : undefined;
    const pathAs = (extension: string): string =>
      own === undefined ? pathOf(file, extension) : `${own}.${extension}`;
    const path = pathAs('csv.gz');
    const owner = placed.get(path);
    if (owner && !isSameDayFile(owner.file, file)) {
      throw usageError(`two day files of the list would share the name ${path}; give --layout`);
    }
    if (!owner) placed.set(path, { ...listed, path, pathAs });
  }
  return placed;
}

export interface ListInput {
  readonly files: PlacedFiles;
  readonly manifest: Manifest;
  readonly options: Pick<DownloadOptions, 'dir' | 'existing' | 'convert'>;
  readonly mayRead: MayRead;
}

/** A list worked out against what stands on disk; the exchange's record isn't asked for. */
export type ListPlan = Pick<Plan, 'files' | 'inOrder' | 'sizeOf'>;

export function planList({ files, manifest, options, mayRead }: ListInput): ListPlan {
  const { dir, existing, convert } = options;
  const extension = convert && extensionOf(convert.options);

  const planOne = (placed: PlacedFile, stateOf: DiskLookup): PlannedFile => {
    const { file, path, refusal, expected } = placed;
    const output = extension && placed.pathAs(extension);
    const base = { file, path, output, expected, mayBeAbsent: false };
    const state = stateOf(file, { path, output });
    const isOther = expected && manifest.get(path)?.sha256 !== expected.sha256;
    if (state.status === 'skip') return { ...base, ...state, ...(isOther && { action: 'check' }) };
    if (refusal) return { ...base, status: refusal, action: 'nothing' };
    if (!mayRead(file)) return { ...base, status: 'unauthorized', action: 'nothing' };
    return { ...base, ...state };
  };

  function* planAll(all: Iterable<PlacedFile>): Generator<PlannedFile> {
    const stateOf = createDiskLookup(dir, manifest, existing, convert);
    for (const placed of all) yield planOne(placed, stateOf);
  }

  return {
    files: () => planAll(files.values()),
    inOrder: () => planAll([...files.values()].sort(bySeries)),
    sizeOf: createSizes(manifest.history),
  };
}

function bySeries({ file: a }: PlacedFile, { file: b }: PlacedFile): number {
  if (a.exchange !== b.exchange) return a.exchange < b.exchange ? -1 : 1;
  if (a.dataType !== b.dataType) return a.dataType < b.dataType ? -1 : 1;
  if (a.symbol !== b.symbol) return a.symbol < b.symbol ? -1 : 1;
  return a.day - b.day;
}

type DiskLookup = ReturnType<typeof createDiskLookup>;
