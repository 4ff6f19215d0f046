import type { DayFile } from '../../day-files/day-file.js';
import { describeOlderKeys, type Layout, olderLayoutOf } from '../../day-files/layout.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { DiskState, FilePaths } from './disk-state.js';
import type { PlanOutputs } from './planned-paths.js';

/** Paths of a day file that the manifest records under the older keys of `hive`; undefined if it does not. */
export type FindOlderPaths = (file: DayFile, paths: FilePaths) => FilePaths | undefined;

/**
 * Finds the files that earlier versions wrote under the older keys of the layout `hive`, so that they are not downloaded
 * again. A conversion that is not recorded there gets its path under the present keys.
 */
export function createOlderPathFinder(
  manifest: Pick<Manifest, 'has' | 'get' | 'size'>,
  layout: Layout,
  planOutputs: PlanOutputs,
): FindOlderPaths {
  const older = olderLayoutOf(layout);
  if (!older || manifest.size === 0) return () => undefined;
  return (file, { path, outputs }) => {
    if (manifest.has(path)) return undefined;
    const olderPath = older.pathOf(file, 'csv.gz');
    if (!manifest.has(olderPath)) return undefined;
    const recorded = new Set(manifest.get(olderPath)?.conversions?.map((entry) => entry.path));
    const olderOutputs = planOutputs(file, older.pathOf);
    return {
      path: olderPath,
      outputs: outputs.map((output, i) => {
        const olderOutput = olderOutputs[i];
        return olderOutput && recorded.has(olderOutput.path) ? olderOutput : output;
      }),
    };
  };
}

/** Whether the manifest records any of the files by this layout. */
export function isAnyRecorded(
  manifest: Pick<Manifest, 'has' | 'size'>,
  layout: Layout,
  files: Iterable<DayFile>,
): boolean {
  if (manifest.size === 0) return false;
  for (const file of files) if (manifest.has(layout.pathOf(file, 'csv.gz'))) return true;
  return false;
}

/** Paths of a day file, and its state there. */
export type PlacedState = FilePaths & { readonly state: DiskState };

/**
 * Looks a day file up under the older keys, if it is recorded there, else at its paths. What is recorded under the older
 * keys and gone is downloaded to the present ones.
 */
export function lookUpPaths(
  file: DayFile,
  paths: FilePaths,
  older: FilePaths | undefined,
  lookUp: (file: DayFile, paths: FilePaths) => DiskState,
  onOlder: () => void,
): PlacedState {
  if (older) {
    const state = lookUp(file, older);
    if (state.status === 'skip' || state.replaces) {
      onOlder();
      return { path: older.path, outputs: older.outputs, state };
    }
  }
  return { path: paths.path, outputs: paths.outputs, state: lookUp(file, paths) };
}

/** Destinations of which the user knows that files are under the older keys. */
const reported = new WeakSet<object>();

/** Warns of files under the older keys, once for each opened destination, however many plans it has. */
export function reportOlderKeys({ destination, warn }: Reporting): void {
  if (!warn || reported.has(destination)) return;
  reported.add(destination);
  warn(describeOlderKeys(destination.name ?? ''));
}

interface Reporting {
  readonly destination: Partial<Pick<Destination, 'name'>>;
  readonly warn?: ((message: string) => void) | undefined;
}
