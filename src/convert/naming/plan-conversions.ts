import { basename, dirname } from 'node:path';
import { type TickhaulError, usageError } from '../../base/errors.js';
import { compareTexts } from '../../base/text.js';
import { plural } from '../../base/units.js';
import { isGroupedSymbol } from '../../day-files/dataset-symbol.js';
import { type DayFile, parseDayFileName } from '../../day-files/day-file.js';
import { dayFileName, type Layout, olderLayoutOf } from '../../day-files/layout.js';
import type { ComputedType } from '../../market/message-type-name.js';
import type { Files } from '../../store/files.js';
import { absoluteLocation, joinLocation, parentLocation, relativeLocation } from '../../store/location.js';
import { createDestinationFinder } from '../../store/open-destination.js';
import { describeRequiredTypes, type OutputSelection } from '../output-selection.js';
import { type FindDayFile, readDataTypeFromHeader } from './day-file-lookup.js';
import type { ConvertSource } from './find-sources.js';

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
interface UnplacedSource {
  readonly source: string;
  readonly error: TickhaulError;
}

interface ConversionPlan {
  readonly conversions: readonly PlannedConversion[];
  /** These fail; the others are converted. */
  readonly unplaced: readonly UnplacedSource[];
  /** Warnings about skipped sources. */
  readonly warnings: readonly string[];
}

interface ConversionPlanInput {
  /** Used to read the headers of sources whose data type is unknown. */
  readonly files: Files;
  readonly outputSelection: OutputSelection;
  readonly placement: OutputPlacement;
  readonly extension: string;
  readonly findDayFile: FindDayFile;
  readonly signal: AbortSignal;
}

/**
 * Plans the outputs of each source.
 * @throws TickhaulError `usage` if two sources have the same output.
 */
export async function planConversions(
  sources: readonly ConvertSource[],
  { files, outputSelection, placement, extension, findDayFile, signal }: ConversionPlanInput,
): Promise<ConversionPlan> {
  const owners = new Map<string, string>();
  const conversions: PlannedConversion[] = [];
  const unplaced: UnplacedSource[] = [];
  const skippedSources = new SkippedSources(outputSelection, files, signal);
  for (const source of sources) {
    const { path } = source;
    const file = await findDayFile(path);
    const dataType = source.dataType ?? file?.dataType;
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

/**
 * Checks that outputs with the extension of day files are written where no search for day files finds them: not next to
 * the sources, in a folder that was searched, or in a download folder.
 * @throws usage error.
 */
export async function assertApartFromDayFiles(
  sources: readonly ConvertSource[],
  out: string | undefined,
  files: Files,
  signal: AbortSignal,
): Promise<void> {
  const advice = 'choose a folder outside of it with -o, or write .csv or .csv.zst';
  if (out === undefined)
    throw usageError(
      `--compression gzip: a CSV next to its source would have the name of a day file; ${advice}`,
    );
  const folder = absoluteLocation(out).replace(/(?<=[^/])\/+$/, '');
  const searched = new Set(sources.flatMap(({ root }) => (root === undefined ? [] : absoluteLocation(root))));
  const isSearched = [...searched].some((root) => isWithin(root, folder));
  const isOfSource = sources.some(({ path }) => parentLocation(absoluteLocation(path)) === folder);
  const download = await createDestinationFinder(files, signal)(folder);
  if (isSearched || isOfSource || download !== undefined)
    throw usageError(`${out}: it holds day files, whose names a CSV with --compression gzip has; ${advice}`);
}

/**
 * Checks that an existing file with the extension of day files is a conversion, so that no day file is overwritten.
 * @param provenance its record.
 * @throws usage error.
 */
export async function assertConversion(
  target: string,
  provenance: Readonly<Record<string, string>> | undefined,
  files: Files,
  signal: AbortSignal,
): Promise<void> {
  if (provenance || !(await files.stat(target, signal))) return;
  throw usageError(
    `${target}: it exists, and may be a day file; choose another folder with -o, or delete it`,
  );
}

function isWithin(root: string, folder: string): boolean {
  return folder === root || relativeLocation(root, folder) !== undefined;
}

interface OutputPlacement {
  /** If undefined, each output is written next to its source. */
  readonly out: string | undefined;
  readonly layout: Layout | undefined;
}

/** The folder for a source's output; the layout may add folders below it. */
function resolveOutputRoot({ path, root }: ConvertSource, { out, layout }: OutputPlacement): string {
  return out ?? (layout === undefined ? undefined : root) ?? dirname(path);
}

/** Whether the layout defines a path for a file. @param file undefined if the day file is unknown. */
function hasPlace(file: DayFile | undefined, { layout }: OutputPlacement): boolean {
  return file !== undefined || layout === undefined || layout.template === '{name}';
}

/** The error for a source without a path in the layout. */
function unplacedError(path: string, { layout }: OutputPlacement): TickhaulError {
  return usageError(
    `${path}: its name does not state exchange, data type, day and symbol, which --layout ${layout?.template} requires; rename the file, or omit --layout`,
  );
}

/**
 * Location of a source's output.
 * @param file undefined if the day file is unknown; then `hasPlace` must hold.
 * @param computed name of the computed type, which replaces the data type; undefined for the rows.
 */
function resolveTarget(
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
function resolveOlderTarget(
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

/** Finds the computed types for each file, and collects the files without any output. */
export class SkippedSources {
  readonly #selection: OutputSelection;
  readonly #files: Files;
  readonly #signal: AbortSignal;
  /** Paths by data type. */
  readonly #paths = new Map<string, string[]>();

  constructor(selection: OutputSelection, files: Files, signal: AbortSignal) {
    this.#selection = selection;
    this.#files = files;
    this.#signal = signal;
  }

  /** One warning per data type of the skipped files. */
  get warnings(): readonly string[] {
    const needs = describeRequiredTypes(this.#selection);
    return [...this.#paths].map(([dataType, paths]) => {
      const [first = ''] = paths;
      const which =
        paths.length === 1 ? first : `${paths.length} files of ${dataType}, the first is ${first}`;
      return `skipping ${which}: ${needs}, not from ${dataType}`;
    });
  }

  /**
   * The selected computed types that can be computed from a file. All of them if its data type is unknown:
   * the conversion reports the error later.
   * @param known the file's data type; undefined if it must be read from the header.
   */
  async findComputedTypes(path: string, known: string | undefined): Promise<readonly ComputedType[]> {
    const { rows, computed } = this.#selection;
    if (computed.length === 0) return [];
    const dataType = known ?? (await readDataTypeFromHeader(this.#files, path, this.#signal));
    if (dataType === undefined) return computed;
    const types = computed.filter(({ dayFileType }) => dayFileType === dataType);
    if (types.length === 0 && !rows) this.#add(dataType, path);
    return types;
  }

  #add(dataType: string, path: string): void {
    const paths = this.#paths.get(dataType) ?? [];
    paths.push(path);
    this.#paths.set(dataType, paths);
  }
}

/** A source of a file that has the rows of several. */
export interface PlannedSource extends Pick<ConvertSource, 'path' | 'info'> {
  /** Undefined if the day file is unknown. */
  readonly file: DayFile | undefined;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
}

interface OneFilePlanInput {
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
    return a.day - b.day || compareTexts(a.exchange, b.exchange) || compareTexts(a.symbol, b.symbol);
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
