import { type TickhaulError, usageError } from '../../base/errors.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { ComputedType } from '../../market/names/message-type-name.js';
import type { Files } from '../../store/files.js';
import { absoluteLocation } from '../../store/location.js';
import type { OutputSelection } from '../output-selection.js';
import type { FindDayFile } from './day-file-lookup.js';
import type { ConvertSource } from './find-sources.js';
import {
  hasPlace,
  type OutputPlacement,
  resolveOlderTarget,
  resolveOutputRoot,
  resolveTarget,
  unplacedError,
} from './output-placement.js';
import { SkippedSources } from './skipped-sources.js';

/** A source and its outputs. */
export interface PlannedConversion {
  readonly source: string;
  /** Undefined if the day file is unknown. */
  readonly file: DayFile | undefined;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  /** The folder for the outputs; the layout may add folders below it. */
  readonly root: string;
  /** At least one. */
  readonly outputs: readonly ConversionOutput[];
}

export interface ConversionOutput {
  readonly target: string;
  /** Where the output is if an earlier version wrote it; undefined if only `target` is possible. */
  readonly olderTarget: string | undefined;
  /** Undefined for the rows. */
  readonly type: ComputedType | undefined;
}

/** A source without a path in the layout. */
export interface UnplacedSource {
  readonly source: string;
  readonly error: TickhaulError;
}

export interface ConversionPlan {
  readonly conversions: readonly PlannedConversion[];
  /** These fail; the others are converted. */
  readonly unplaced: readonly UnplacedSource[];
  /** Warnings about skipped sources. */
  readonly warnings: readonly string[];
}

export interface ConversionPlanInput {
  /** Used to read the headers of sources whose data type is unknown. */
  readonly files: Files;
  readonly outputSelection: OutputSelection;
  readonly placement: OutputPlacement;
  readonly extension: string;
  /** Data type of all files; undefined to find it by name or header. */
  readonly dataType?: string | undefined;
  readonly findDayFile: FindDayFile;
  readonly signal: AbortSignal;
}

/**
 * Plans the outputs of each source.
 * @throws TickhaulError `usage` if two sources have the same output.
 */
export async function planConversions(
  sources: readonly ConvertSource[],
  {
    files,
    outputSelection,
    placement,
    extension,
    dataType: requestedType,
    findDayFile,
    signal,
  }: ConversionPlanInput,
): Promise<ConversionPlan> {
  const owners = new Map<string, string>();
  const conversions: PlannedConversion[] = [];
  const unplaced: UnplacedSource[] = [];
  const skippedSources = new SkippedSources(outputSelection, files, signal);
  for (const source of sources) {
    const { path } = source;
    const file = await findDayFile(path);
    const dataType = requestedType ?? file?.dataType;
    const computed = await skippedSources.findComputedTypes(path, dataType);
    const types = [...(outputSelection.rows ? [undefined] : []), ...computed];
    if (types.length === 0) continue;
    if (!hasPlace(file, placement)) {
      unplaced.push({ source: path, error: unplacedError(path, placement) });
      continue;
    }
    const outputs = types.map((type) => {
      const target = resolveTarget(source, file, placement, extension, type?.name);
      const other = owners.get(absoluteLocation(target));
      if (other !== undefined) {
        throw usageError(`${other} and ${path}: both would be written to ${target}; choose another --layout`);
      }
      owners.set(absoluteLocation(target), path);
      const olderTarget = resolveOlderTarget(source, file, placement, extension, type?.name);
      return { target, olderTarget, type };
    });
    conversions.push({ source: path, file, dataType, root: resolveOutputRoot(source, placement), outputs });
  }
  return { conversions, unplaced, warnings: skippedSources.warnings };
}
