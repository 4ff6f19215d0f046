import { basename, dirname } from 'node:path';
import { type TickhaulError, usageError } from '../../base/errors.js';
import type { DayFile } from '../../dataset/day-file.js';
import { dayFileName, type Layout } from '../../dataset/layout.js';
import { parseDayFileName } from '../../dataset/parse-day-file-name.js';
import { joinLocation } from '../../store/location.js';
import type { ConvertSource } from './find-sources.js';

export interface OutputPlacement {
  /** Undefined for beside the source. */
  readonly out: string | undefined;
  readonly layout: Layout | undefined;
}

/** The folder that a source's output goes to, or to folders below. */
export function resolveOutputRoot({ path, root }: ConvertSource, { out, layout }: OutputPlacement): string {
  return out ?? (layout === undefined ? undefined : root) ?? dirname(path);
}

/** Whether the layout has a place for a file. @param file undefined where nothing tells which day file it is. */
export function hasPlace(file: DayFile | undefined, { layout }: OutputPlacement): boolean {
  return file !== undefined || layout === undefined || layout.template === '{name}';
}

/** Why there is no place for a source. */
export function unplacedError(path: string, { layout }: OutputPlacement): TickhaulError {
  return usageError(
    `${path}: the name doesn't tell exchange, data type, day and symbol, which --layout ${layout?.template} needs; rename it, or convert it without --layout`,
  );
}

/**
 * Where a source's output goes.
 * @param file undefined where nothing tells which day file it is; the layout has a place for it.
 * @param computed the name of a computed type, which stands in the place of the data type; undefined for the rows.
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

function computedFile(file: DayFile, dataType = file.dataType): DayFile {
  return { ...file, dataType };
}
