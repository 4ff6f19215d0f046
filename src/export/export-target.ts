import type { DataType } from '../day-files/data-types.js';
import type { ExportFlag, ExportTargetName } from '../options/export-options.js';
import type { InstrumentInfo } from '../service/records/fetch-instruments.js';
import type { ExportIo } from './export-io.js';
import type { ExportSource } from './export-source.js';

/**
 * A backtester that day files are written for: its own folder, and one entry of `EXPORT_TARGETS` (`export-targets.ts`).
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
  /**
   * Types of the dataset symbols in an exchange's record (`spot`, `perpetual` …), by symbol in upper case; undefined if
   * there is no record. @throws the abort reason.
   */
  fetchSymbolTypes(exchange: string): Promise<ReadonlyMap<string, string> | undefined>;
  readonly signal: AbortSignal;
}

export interface ExportPlan {
  readonly jobs: readonly ExportJob[];
  /** Sources without an output, each with the reason as a warning. */
  readonly skipped: readonly SkippedSource[];
  readonly warnings?: readonly string[] | undefined;
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
