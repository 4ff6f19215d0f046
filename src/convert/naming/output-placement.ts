import { basename, dirname } from 'node:path';
import { type TickhaulError, usageError } from '../../base/errors.js';
import type { DayFile } from '../../dataset/day-file.js';
import { parseDayFileName } from '../../dataset/day-file.js';
import { dayFileName, type Layout, olderLayoutOf } from '../../dataset/layout.js';
import { joinLocation } from '../../store/location.js';
import type { ConvertSource } from './find-sources.js';

export interface OutputPlacement {
  /** If undefined, each output is written next to its source. */
  readonly out: string | undefined;
  readonly layout: Layout | undefined;
}

/** The folder for a source's output; the layout may add folders below it. */
export function resolveOutputRoot({ path, root }: ConvertSource, { out, layout }: OutputPlacement): string {
  return out ?? (layout === undefined ? undefined : root) ?? dirname(path);
}

/** Whether the layout defines a path for a file. @param file undefined if the day file is unknown. */
export function hasPlace(file: DayFile | undefined, { layout }: OutputPlacement): boolean {
  return file !== undefined || layout === undefined || layout.template === '{name}';
}

/** The error for a source without a path in the layout. */
export function unplacedError(path: string, { layout }: OutputPlacement): TickhaulError {
  return usageError(
    `${path}: its name does not state exchange, data type, day and symbol, which --layout ${layout?.template} requires; rename the file, or omit --layout`,
  );
}

/**
 * Location of a source's output.
 * @param file undefined if the day file is unknown; then `hasPlace` must hold.
 * @param computed name of the computed type, which replaces the data type; undefined for the rows.
 */
export function resolveTarget(
  source: ConvertSource,
  file: DayFile | undefined,
  placement: OutputPlacement,
  extension: string,
  computed: string | undefined,
): string {
  const root = resolveOutputRoot(source, placement);
  const { layout } = placement;
  if (layout && file) return joinLocation(root, layout.pathOf(computedFile(file, computed), extension));
  const named = computed === undefined ? undefined : parseDayFileName(source.path);
  if (named) return joinLocation(root, `${dayFileName(computedFile(named, computed))}.${extension}`);
  const stem = basename(source.path).replace(/(\.csv)?(\.gz)?$/, '');
  return joinLocation(root, `${computed === undefined ? stem : `${stem}_${computed}`}.${extension}`);
}

/** Where an earlier version wrote the same output, with the older keys of `hive`; undefined for other layouts. */
export function resolveOlderTarget(
  source: ConvertSource,
  file: DayFile | undefined,
  placement: OutputPlacement,
  extension: string,
  computed: string | undefined,
): string | undefined {
  const older = placement.layout && olderLayoutOf(placement.layout);
  return older && resolveTarget(source, file, { ...placement, layout: older }, extension, computed);
}

function computedFile(file: DayFile, dataType = file.dataType): DayFile {
  return { ...file, dataType };
}
