import { usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { isGroupedSymbol } from '../../day-files/dataset-symbol.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { ComputedType } from '../../market/message-type-name.js';
import type { Files } from '../../store/files.js';
import { type FindDayFile, readDataTypeFromHeader } from './day-file-lookup.js';
import type { ConvertSource } from './find-sources.js';
import { SkippedSources } from './plan-conversions.js';

/** A source of a file that has the rows of several. */
export interface PlannedSource extends Pick<ConvertSource, 'path' | 'info'> {
  /** Undefined if the day file is unknown. */
  readonly file: DayFile | undefined;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
}

export interface OneFilePlanInput {
  /** Location of the output. */
  readonly target: string;
  /** Used to read the headers of sources whose data type is unknown. */
  readonly files: Files;
  /** The computed type; undefined for the rows. */
  readonly computed?: ComputedType | undefined;
  /** Whether symbols were named. If not, grouped symbols do not repeat the rows of others. */
  readonly hasSymbols: boolean;
  readonly findDayFile: FindDayFile;
  readonly signal: AbortSignal;
}

/** Their record is in the metadata of the output, of which readers accept 16 MiB. */
const MAX_SOURCES = 100_000;

/**
 * Plans one output with the rows of all sources: by day, then exchange and symbol.
 * @returns the sources in the order of their rows, and warnings about sources that are left out.
 * @throws TickhaulError `usage` for several data types, a day file twice, or sources that cannot be ordered.
 */
export async function planOneFile(
  sources: readonly ConvertSource[],
  input: OneFilePlanInput,
): Promise<{ readonly sources: readonly PlannedSource[]; readonly warnings: readonly string[] }> {
  const { target, files, computed, findDayFile, signal } = input;
  const skipped = new SkippedSources(
    { rows: computed === undefined, computed: computed ? [computed] : [] },
    files,
    signal,
  );
  const usable: PlannedSource[] = [];
  for (const { path, info, dataType: selected } of sources) {
    const file = await findDayFile(path);
    const known = selected ?? file?.dataType;
    const dataType = known ?? (await readDataTypeFromHeader(files, path, signal));
    if (computed && (await skipped.findComputedTypes(path, dataType)).length === 0) continue;
    usable.push({ path, info, file, dataType });
  }
  assertOneDataType(usable, target);
  const grouped = input.hasSymbols ? [] : findRepeatingGroups(usable);
  const planned = usable.filter((source) => !grouped.includes(source));
  const warnings = [...skipped.warnings, ...describeGroups(grouped)];
  if (planned.length > MAX_SOURCES) {
    throw usageError(
      `-o ${target}: ${planned.length} day files are selected, and one file may have ${MAX_SOURCES}; select fewer, or name a folder`,
    );
  }
  return { sources: sortSources(planned, target), warnings };
}

function assertOneDataType(sources: readonly PlannedSource[], target: string): void {
  const types = new Set(sources.flatMap(({ dataType }) => dataType ?? []));
  if (types.size <= 1) return;
  throw usageError(
    `-o ${target}: the selected day files are of ${types.size} data types (${[...types].sort().join(', ')}), and one file has rows of one; choose it with --type`,
  );
}

/** Files of grouped symbols, if there are others of the same exchange. They are no part of `--symbol all` either. */
function findRepeatingGroups(sources: readonly PlannedSource[]): readonly PlannedSource[] {
  const isGrouped = ({ file }: PlannedSource): boolean => file !== undefined && isGroupedSymbol(file.symbol);
  const exchanges = new Set(sources.filter((source) => !isGrouped(source)).map(({ file }) => file?.exchange));
  return sources.filter((source) => isGrouped(source) && exchanges.has(source.file?.exchange));
}

function describeGroups(grouped: readonly PlannedSource[]): readonly string[] {
  if (grouped.length === 0) return [];
  const symbols = [...new Set(grouped.flatMap(({ file }) => file?.symbol ?? []))].sort().join(', ');
  return [
    `leaving out ${plural(grouped.length, 'day file')} of ${symbols}, which repeat rows of other symbols; name them with --symbol to include them`,
  ];
}

/** @throws TickhaulError `usage` for several sources, if one of them is not a known day file, or two are the same. */
function sortSources(sources: readonly PlannedSource[], target: string): readonly PlannedSource[] {
  if (sources.length <= 1) return sources;
  const known = sources.map((source) => {
    const { path, file } = source;
    if (file) return { ...source, file };
    throw usageError(
      `${path}: its name does not state exchange, data type, day and symbol, by which ${target} is ordered; rename the file, or convert it to a file for itself`,
    );
  });
  const sorted = known.sort(({ file: a }, { file: b }) => {
    return a.day - b.day || compareNames(a.exchange, b.exchange) || compareNames(a.symbol, b.symbol);
  });
  for (const [i, { path, file }] of sorted.entries()) {
    const previous = sorted[i - 1];
    const isSame =
      previous?.file.day === file.day &&
      previous.file.exchange === file.exchange &&
      previous.file.symbol === file.symbol;
    if (!isSame) continue;
    throw usageError(
      `${previous.path} and ${path}: are the same day file, whose rows would be in ${target} twice; select one of them`,
    );
  }
  return sorted;
}

/** By code units, so that the order does not depend on the machine. */
function compareNames(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
