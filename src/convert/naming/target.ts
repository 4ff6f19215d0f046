import { basename, dirname } from 'node:path';
import { type TickhaulError, usageError } from '../../base/errors.js';
import type { DayFile } from '../../dataset/day-file.js';
import { dayFileOfName } from '../../dataset/day-file-name.js';
import { dayFileName, type Layout } from '../../dataset/layout.js';
import { joinLocation } from '../../store/location.js';
import type { Source } from './find.js';

export interface Placement {
  /** Undefined for beside the source. */
  readonly out: string | undefined;
  readonly layout: Layout | undefined;
}

/** The folder that a source's output goes to, or to folders below. */
export function outputRoot({ path, root }: Source, { out, layout }: Placement): string {
  return out ?? (layout === undefined ? undefined : root) ?? dirname(path);
}

/** Whether the layout has a place for a file. @param file undefined where nothing tells which day file it is. */
export function hasPlace(file: DayFile | undefined, { layout }: Placement): boolean {
  return file !== undefined || layout === undefined || layout.template === '{name}';
}

/** Why there is no place for a source. */
export function unplacedError(path: string, { layout }: Placement): TickhaulError {
  return usageError(
    `${path}: the name doesn't tell exchange, data type, day and symbol, which --layout ${layout?.template} needs; rename it, or convert it without --layout`,
  );
}

/**
 * Where a source's output goes.
 * @param file undefined where nothing tells which day file it is; the layout has a place for it.
 * @param computed the name of a computed type, which stands in the place of the data type; undefined for the rows.
 */
export function targetOf(
  source: Source,
  file: DayFile | undefined,
  placement: Placement,
  extension: string,
  computed: string | undefined,
): string {
  const root = outputRoot(source, placement);
  const { layout } = placement;
  if (layout && file) return joinLocation(root, layout.pathOf(computedFile(file, computed), extension));
  const named = computed === undefined ? undefined : dayFileOfName(source.path);
  if (named) return joinLocation(root, `${dayFileName(computedFile(named, computed))}.${extension}`);
  const stem = basename(source.path).replace(/(\.csv)?(\.gz)?$/, '');
  return joinLocation(root, `${computed === undefined ? stem : `${stem}_${computed}`}.${extension}`);
}

function computedFile(file: DayFile, dataType = file.dataType): DayFile {
  return { ...file, dataType };
}
