import { type TickhaulError, usageError } from '../base/errors.js';
import { compareTexts } from '../base/text.js';
import type { SourceExclusion } from '../convert/naming/find-sources.js';
import type { DataType } from '../day-files/data-types.js';
import type { DayFile } from '../day-files/day-file.js';
import type { DayFileSelection } from '../day-files/series-filter.js';
import type { EventSink, LeftOutRule, RunEvent } from '../events/run-events.js';
import type { Batch, NumberText } from '../format/batch.js';
import type { ByteSink } from '../format/output-format.js';
import type { ExportFlag, ExportTargetName } from '../options/export-options.js';
import type { InstrumentInfo } from '../service/records/fetch-instruments.js';
import type { StoreSettings } from '../store/files.js';
import type { SpillFile } from './job-memory.js';

/**
 * A backtester that day files are written for: its own folder, and one entry of `EXPORT_TARGETS` (`run-export-job.ts`).
 * It plans jobs in the main thread, and its exporter runs them in others.
 */
export interface ExportTarget<Settings> {
  /** Raise it in the commit that changes the content or the names of outputs for the same sources and settings. */
  readonly version: number;
  /**
   * Whether it refuses two files of one day in a folder. Then the keys of its jobs end with `/` and the day, and two jobs
   * of a day must not write into the same folder.
   */
  readonly hasDayFolders?: boolean;
  /** Data types that it reads; files of others are left out with a warning. */
  readonly dataTypes: readonly DataType[];
  /** Its own flags, besides those that all targets share. Any other flag of a target is refused. */
  readonly flags: readonly ExportFlag[];
  /** Checks the values of its flags. @throws usage error. */
  readSettings(flags: ExportFlags): Settings;
  /**
   * Checks day files, in the order of `plan`, which calls it too, against the settings; absent if nothing can contradict
   * them. The files need not exist yet. @throws usage error.
   */
  check?(sources: readonly ExportSource[], settings: Settings): Promise<void>;
  /**
   * Forms the jobs of day files, which are sorted by exchange, symbol, day and data type. @throws usage error; errors of
   * the context.
   */
  plan(sources: readonly ExportSource[], settings: Settings, context: ExportContext): Promise<ExportPlan>;
  /** Loads the code that runs its jobs. */
  loadExporter(): Promise<Exporter>;
}

/** Runs one job. @throws TickhaulError; then the job has no output. */
export type Exporter = (job: ExportJob, io: ExportIo) => Promise<void>;

/** Values of a target's flags; those of lists are split at commas. */
export type ExportFlags = Readonly<Partial<Record<ExportFlag, string | readonly string[]>>>;

/** Facts that a plan may need. Each is fetched once, and only on demand. */
export interface ExportContext {
  /**
   * The instruments of an exchange; undefined if the service refuses them, or cannot be reached.
   * @throws the abort reason.
   */
  fetchInstruments(exchange: string): Promise<readonly InstrumentInfo[] | undefined>;
  /** The instruments of the stored copy; undefined if there is none. */
  findInstruments(exchange: string): Promise<readonly InstrumentInfo[] | undefined>;
  /**
   * The instruments for facts that an export can do without: fetched if there is an API key, else those of the stored
   * copy; undefined if there is none. @throws the abort reason.
   */
  lookUpInstruments(exchange: string): Promise<readonly InstrumentInfo[] | undefined>;
  /**
   * Types of the dataset symbols in an exchange's record (`spot`, `perpetual` …), by symbol in upper case; undefined if
   * there is no record. @throws the abort reason.
   */
  fetchSymbolTypes(exchange: string): Promise<ReadonlyMap<string, string> | undefined>;
  readonly signal: AbortSignal;
}

/** Whether an instrument is inverse, by its flag or by the type of its contract. */
export function isInverseContract({ contractType, ...info }: InstrumentInfo): boolean {
  return info['inverse'] === true || contractType?.startsWith('inverse_') === true;
}

export interface ExportPlan {
  readonly jobs: readonly ExportJob[];
  /** Sources without an output, each with the reason as a warning. */
  readonly skipped: readonly SkippedSource[];
  /**
   * Makes the files beside the outputs, after the jobs. Absent if there are none.
   * @param outputsOf lists the paths of a job's outputs; none if it failed, or is not part of the run.
   */
  readonly finish?: ((outputsOf: OutputsOf) => Promise<SideFiles>) | undefined;
  readonly warnings?: readonly string[] | undefined;
}

export type OutputsOf = (job: ExportJob) => readonly string[];

/** What an export writes beside the outputs of its jobs. */
export interface SideFiles {
  readonly files: readonly SideFile[];
  readonly messages?: readonly Extract<RunEvent, { event: 'warning' | 'note' }>[];
  /** The one of the files that runs on what was exported. */
  readonly script?: ExampleScript | undefined;
}

/** A script, or the configuration of a backtester. */
export interface ExampleScript {
  /** Relative to the output folder, with `/`. */
  readonly path: string;
  /** Words of the command that runs it. @param path its location. @param out folder of the outputs. */
  command(path: string, out: string): readonly string[];
}

/** A small file that a plan makes of metadata, beside what is exported of day files. */
export interface SideFile {
  /** What it is about: a later export with the same key replaces it. */
  readonly key: string;
  /** Relative to the output folder, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Whether users are meant to edit it. A file that somebody changed, or wrote, is kept. */
  readonly isEditable?: boolean;
}

export interface SkippedSource {
  readonly source: ExportSource;
  readonly message: string;
}

/** Sources that are exported together, as plain data. */
export interface ExportJob {
  readonly target: ExportTargetName;
  /** Names what is exported, such as one instrument and day: a later export with the same key replaces its outputs. */
  readonly key: string;
  /**
   * Names what is exported without the symbol. Jobs of one place, of a symbol and of a grouped symbol, may have the same
   * outputs. Undefined if the plan has excluded that.
   */
  readonly place?: string | undefined;
  /** At least one. Its first file decides the shard. */
  readonly sources: readonly ExportSource[];
  /** All that the exporter needs, as JSON. If it changes, the outputs are written again. */
  readonly settings: unknown;
}

/** Advice for a symbol that cannot be exported: `-s` selects, and cannot exclude. */
export const SELECT_OTHERS = 'select the other symbols with -s (in a config file: symbols)';

/** A day file to export. */
export interface ExportSource {
  /** A location. */
  readonly path: string;
  readonly file: DayFile;
}

/** By exchange, symbol, day, data type. */
export function compareSources({ file: a }: ExportSource, { file: b }: ExportSource): number {
  return (
    compareTexts(a.exchange, b.exchange) ||
    compareTexts(a.symbol, b.symbol) ||
    a.day - b.day ||
    compareTexts(a.dataType, b.dataType)
  );
}

/** Sources of one symbol, at least one. */
export type ExportSeries = readonly [ExportSource, ...ExportSource[]];

/** @param sources sorted by `compareSources`. */
export function groupBySymbol(sources: readonly ExportSource[]): readonly ExportSeries[] {
  const series: [ExportSource, ...ExportSource[]][] = [];
  for (const source of sources) {
    const days = series.at(-1);
    const { exchange, symbol } = source.file;
    if (days?.[0].file.exchange === exchange && days[0].file.symbol === symbol) days.push(source);
    else series.push([source]);
  }
  return series;
}

/** What the rows of an output belong to. Outputs of different owners have different paths, or folders. */
export interface OutputOwner {
  /** Such as an exchange and a symbol of its cells. */
  readonly name: string;
  /** What to do if the owner of another name has the same output. */
  advise(other: string): string;
}

/** An output that is being written. Calls must not overlap. */
export interface ExportOutput extends ByteSink {
  /**
   * Call it after the last write.
   * @param rows of the output, for messages and records.
   * @param sourceRows rows of the sources that it holds, or was made of.
   */
  end(rows: number, sourceRows: number, options?: OutputEndOptions): void;
}

export interface OutputEndOptions {
  /** Whether another output holds the same source rows, so that they are not counted twice. */
  readonly isDerived?: boolean;
  /** Final path of an output that was created with a provisional one; in the same folder. */
  readonly path?: string;
}

/** @param place path, folder, or what becomes one. */
export function sameOutputError(place: string, other: string, { name, advise }: OutputOwner): TickhaulError {
  return usageError(`${place}: ${other} and ${name} have the same output; ${advise(other)}`);
}

/** What an exporter reads and writes. A source must not be read twice at the same time. */
export interface ExportIo {
  /**
   * Reads a source to its end, and passes its rows in batches, in the order of the file. A batch is valid until `onBatch`
   * resolves. Resolves when all bytes are verified.
   * @throws TickhaulError `corrupt`, `unreadable`; errors of the store and of `onBatch`.
   */
  read(source: ExportSource, options: ExportReadOptions, onBatch: BatchSink): Promise<void>;
  /**
   * Creates an output, which gets its name when the whole job has ended. An earlier one of the same path and owner is
   * discarded.
   * @param path relative to the output folder, with `/`.
   * @param isProvisional whether the output may get another path when it ends; an object then waits in a spill file.
   * @throws TickhaulError `corrupt` for a path that leads out of the folder, for example by a symbol of the rows; `usage`
   * for an output of another owner.
   */
  create(path: string, owner: OutputOwner, isProvisional?: boolean): Promise<ExportOutput>;
  /** Discards all outputs, to read the sources again. */
  restart(): Promise<void>;
  /** Creates a temporary file, which is removed when the job ends. @throws TickhaulError `disk`. */
  createSpill(): Promise<SpillFile>;
  /**
   * Counts rows of the sources that no output has. Call it when all outputs have ended: rows that are neither in an
   * output nor counted here make the job fail.
   */
  leaveOut(rule: LeftOutRule, rows: number): void;
  /** A source that is read twice may warn twice; then the message is kept once. */
  warn(message: string): void;
  /** Processors for threads of the job, besides its own, that no other job uses. */
  readonly spareProcessors: number;
  readonly signal: AbortSignal;
}

export interface ExportReadOptions {
  /** The numbers that keep their text. */
  readonly numberText: NumberText;
  /** As in `RowsRequest`. */
  readonly columns?: readonly string[] | undefined;
  /** Rows of a batch; by default 8192. */
  readonly batchRows?: number | undefined;
}

export type BatchSink = (batch: Batch) => void | Promise<void>;

/** What to export to, and where. */
export interface ExportSetting {
  readonly target: ExportTargetName;
  /** As `ExportTarget.readSettings` returns them. */
  readonly settings: unknown;
  /** Output folder or prefix. */
  readonly out: string;
}

export interface ExportInput extends ExportSetting {
  /** Locations of day files, folders, prefixes, or globs. */
  readonly paths: readonly string[];
  readonly selection: DayFileSelection;
  /** Leaves out files for another reason. */
  readonly exclusion?: SourceExclusion | undefined;
  /** Jobs at the same time. */
  readonly jobs: number;
  readonly existing: 'skip' | 'overwrite';
  readonly context: ExportContext;
  readonly store: StoreSettings | undefined;
  readonly emit: EventSink;
}
