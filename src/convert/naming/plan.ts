import { type TickhaulError, usageError } from '../../base/errors.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { Files } from '../../store/files.js';
import { wholeLocation } from '../../store/location.js';
import type { Wanted } from '../wanted.js';
import type { DayFileOf } from './day-file-lookup.js';
import type { Source } from './find.js';
import { PassedOver } from './passed-over.js';
import { hasPlace, outputRoot, type Placement, targetOf, unplacedError } from './target.js';

/** A file to convert, and where to. */
export interface PlannedConversion {
  readonly source: string;
  /** Undefined where nothing tells it. */
  readonly file: DayFile | undefined;
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  /** The folder that the outputs go to, or to folders below. */
  readonly root: string;
  /** At least one. */
  readonly outputs: readonly PlannedOutput[];
}

export interface PlannedOutput {
  readonly target: string;
  /** Undefined for the rows as they are. */
  readonly type: ComputedType | undefined;
}

/** A file that gets no place in the layout, and why. */
export interface UnplacedSource {
  readonly source: string;
  readonly error: TickhaulError;
}

export interface ConversionPlan {
  readonly conversions: readonly PlannedConversion[];
  /** Each of these fails, and the others go on. */
  readonly unplaced: readonly UnplacedSource[];
  /** What is to be said of files that nothing is made of. */
  readonly warnings: readonly string[];
}

export interface Naming {
  /** For sources of which only the header tells what they are. */
  readonly files: Files;
  readonly wanted: Wanted;
  readonly placement: Placement;
  readonly extension: string;
  /** Of all files; undefined where name or header tell it. */
  readonly dataType?: string | undefined;
  readonly dayFileOf: DayFileOf;
  readonly signal: AbortSignal;
}

/**
 * Works out what is made of each source, and where it goes.
 * @throws usage error when two sources would share an output.
 */
export async function planConversions(
  sources: readonly Source[],
  { files, wanted, placement, extension, dataType: given, dayFileOf, signal }: Naming,
): Promise<ConversionPlan> {
  const owners = new Map<string, string>();
  const conversions: PlannedConversion[] = [];
  const unplaced: UnplacedSource[] = [];
  const passedOver = new PassedOver(wanted, files, signal);
  for (const source of sources) {
    const { path } = source;
    const file = await dayFileOf(path);
    const dataType = given ?? file?.dataType;
    const computed = await passedOver.typesOf(path, dataType);
    const types = [...(wanted.rows ? [undefined] : []), ...computed];
    if (types.length === 0) continue;
    if (!hasPlace(file, placement)) {
      unplaced.push({ source: path, error: unplacedError(path, placement) });
      continue;
    }
    const outputs = types.map((type) => {
      const target = targetOf(source, file, placement, extension, type?.name);
      const other = owners.get(wholeLocation(target));
      if (other !== undefined) {
        throw usageError(`${other} and ${path} would both become ${target}; choose another --layout`);
      }
      owners.set(wholeLocation(target), path);
      return { target, type };
    });
    conversions.push({ source: path, file, dataType, root: outputRoot(source, placement), outputs });
  }
  return { conversions, unplaced, warnings: passedOver.warnings };
}
