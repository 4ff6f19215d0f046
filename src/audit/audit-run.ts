import { setMaxListeners } from 'node:events';
import { abortReason, judgeError, TickhaulError, toFileError } from '../base/errors.js';
import { freeWhenIdle, keepThreads, type RunTask, workInParallel } from '../base/thread-pool.js';
import { secondsSince } from '../base/units.js';
import { WorkerThread } from '../base/worker-thread.js';
import { formatDay, parseDay } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { DayFileSelection } from '../day-files/series-filter.js';
import type { AuditedDay } from '../events/audited-day.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import type { Files, StoreSettings } from '../store/files.js';
import { isSmallRun } from '../store/open-files.js';
import { type AuditJob, type AuditJobResult, auditFile, auditMemories } from './audit-file.js';
import { type AuditRecord, createAuditRecord } from './audit-log.js';
import { AuditTally, GoodDaysTally } from './audit-tally.js';
import type { AuditedBytes } from './audit-worker.js';
import type { CheckThresholds } from './content-check.js';
import {
  type DownloadFolders,
  type FolderFile,
  findConversions,
  findKnownFile,
  type KnownFile,
  recordCorruptFile,
} from './download-folders.js';
import {
  addNoRows,
  describeDay,
  type ExchangeFacts,
  judgeAbsentDay,
  judgeDay,
  NO_EXCHANGE_FACTS,
  SeriesWithRows,
  toSeriesKey,
} from './judge-day.js';
import { type AuditPlan, type AuditSource, type IsSelected, type PlannedDay, planDays } from './plan-days.js';

export interface AuditInput {
  readonly sources: readonly AuditSource[];
  /** The folders and prefixes that were searched. */
  readonly roots: readonly string[];
  readonly selection: DayFileSelection;
  readonly thresholds: CheckThresholds;
  /** Names of the checks that degrade a day, and `incident`. */
  readonly degrading: ReadonlySet<string>;
  /** Names of conditions and checks that make the run fail. */
  readonly failOn: ReadonlySet<string>;
  /** Whether the summary has the days that are available for all series; a run without any then fails. */
  readonly findsGoodDays?: boolean;
  /** Whether files are read again that have a record. */
  readonly recheck: boolean;
  /** Files read at the same time. */
  readonly jobs: number;
  readonly files: Files;
  readonly store: StoreSettings | undefined;
  readonly folders: DownloadFolders;
  /** Called once for each exchange. */
  readonly fetchFacts: (exchange: string) => Promise<ExchangeFacts>;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Records are looked up for this many files at the same time. */
const LOOKUPS_AT_ONCE = 64;

/**
 * Judges all selected days. Only files without a record are read. Days are emitted in the order of the plan. Corrupt
 * files are days with this condition, and the others are still audited.
 * @throws TickhaulError if the run cannot start: `usage`, errors of the service and of the store.
 */
export async function auditFiles(input: AuditInput): Promise<RunSummary> {
  const startedAtMs = performance.now();
  const plan = await planDays(input.sources, input.selection);
  const { days } = plan;
  const facts = new Map<string, ExchangeFacts>();
  for (const exchange of new Set(days.flatMap(({ file }) => (file ? [file.exchange] : []))))
    facts.set(exchange, await input.fetchFacts(exchange));
  const known = await findKnownFiles(days, input);
  const listed = await dropUnlistedDays(days, facts, input);
  plan.assertAnyDay(listed.length);
  return new AuditRun(input, facts, plan).run(listed, known, startedAtMs);
}

async function findKnownFiles(
  days: readonly PlannedDay[],
  { thresholds, folders, files, signal }: AuditInput,
): Promise<ReadonlyMap<string, KnownFile>> {
  const known = new Map<string, KnownFile>();
  const sources = days.filter((day) => day.path !== undefined);
  for (let at = 0; at < sources.length; at += LOOKUPS_AT_ONCE) {
    if (signal.aborted) throw abortReason(signal);
    const lookups = sources.slice(at, at + LOOKUPS_AT_ONCE).map(async (source) => {
      known.set(source.path, await findKnownFile(source, thresholds, folders, files, signal));
    });
    await Promise.all(lookups);
  }
  return known;
}

async function dropUnlistedDays(
  days: readonly PlannedDay[],
  facts: ReadonlyMap<string, ExchangeFacts>,
  { roots, folders, store, signal }: AuditInput,
): Promise<readonly OpenDay[]> {
  const hasAbsentDays = days.some(({ path }) => path === undefined);
  const hasConversion = hasAbsentDays
    ? await findConversions(roots, await folders.opened(), store, signal)
    : () => false;
  return days.flatMap((day): OpenDay[] => {
    if (day.path !== undefined) return [{ source: day }];
    const verdict = judgeAbsentDay(
      day.file,
      facts.get(day.file.exchange) ?? NO_EXCHANGE_FACTS,
      hasConversion,
    );
    return verdict ? [{ verdict }] : [];
  });
}

const auditThreads = keepThreads<StoreSettings | undefined, AuditJob, AuditJobResult, AuditedBytes>(
  (workerData) =>
    new WorkerThread(new URL('./audit-worker.js', import.meta.url), { name: 'audit', workerData }),
);
const freeMemoriesWhenIdle = freeWhenIdle(() => auditMemories.clear());

/** A day with its verdict, or with a file to judge. */
type OpenDay = { readonly verdict: AuditedDay } | { readonly source: AuditSource };

/** A file without rows, with the reasons that its record has. */
interface EmptyFile {
  readonly record: AuditRecord;
  /** Undefined if its results are not recorded. */
  readonly folderFile: FolderFile | undefined;
}

/** Judges days, and reads their files if they have no record. Verdicts are emitted in the order of the days. */
class AuditRun {
  readonly #input: AuditInput;
  readonly #facts: Map<string, ExchangeFacts>;
  readonly #isSelected: IsSelected;
  readonly #tally: AuditTally;
  /** Verdicts by position in the plan; null for a file that is not selected. */
  #verdicts: (AuditedDay | null | undefined)[] = [];
  /** Records of files without rows, by position: their reasons depend on other days. */
  readonly #empty = new Map<number, EmptyFile>();
  readonly #withRows = new SeriesWithRows();
  /** Days without a verdict, by series. */
  readonly #openDays = new Map<string, number>();
  #othersAdded: Promise<void> | undefined;
  readonly #recording: Promise<void>[] = [];
  #emitted = 0;
  #bytes = 0;
  #hasWarned = false;
  #busyThreads = 1;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(input: AuditInput, facts: Map<string, ExchangeFacts>, { series, isSelected }: AuditPlan) {
    this.#input = input;
    this.#facts = facts;
    this.#isSelected = isSelected;
    this.#tally = new AuditTally(input.failOn, input.findsGoodDays ? new GoodDaysTally(series) : undefined);
    this.#signal = AbortSignal.any([input.signal, this.#stop.signal]);
    // Each job adds a listener; without this, Node would warn about a leak.
    setMaxListeners(0, this.#signal);
  }

  async run(
    days: readonly OpenDay[],
    known: ReadonlyMap<string, KnownFile>,
    startedAtMs: number,
  ): Promise<RunSummary> {
    const { emit, recheck, jobs, files, store } = this.#input;
    this.#verdicts = days.map((day) => ('verdict' in day ? day.verdict : undefined));
    const toRead: [number, AuditSource & { readonly path: string }][] = [];
    for (const day of days) {
      const key = 'source' in day && day.source.file && toSeriesKey(day.source.file);
      if (key) this.#openDays.set(key, (this.#openDays.get(key) ?? 0) + 1);
    }
    for (const [at, day] of days.entries()) {
      if ('verdict' in day) continue;
      const record = recheck ? undefined : known.get(day.source.path)?.record;
      const { error } = day.source;
      if (error)
        this.#set(at, day.source, await this.#judgeCorrupt(day.source, error, known.get(day.source.path)));
      else if (record)
        this.#set(
          at,
          day.source,
          await this.#judgeKnown(at, record, day.source.path, known.get(day.source.path)),
        );
      else toRead.push([at, day.source]);
    }
    emit({
      event: 'plan',
      files: days.filter((day) => 'source' in day).length,
      read: toRead.length,
      aim: 'audit',
    });
    this.#emitDays();
    const signal = this.#signal;
    const paths = toRead.map(([, { path }]) => path);
    const isHere = await isSmallRun(paths, files, signal);
    const audit: RunTask<AuditJob, AuditJobResult, AuditedBytes> = isHere
      ? (job, { onEvent }) => auditFile(job, { files, store }, (...bytes) => void onEvent?.(bytes), signal)
      : (job, options) => auditThreads(store).run(job, options);
    const count = isHere ? 1 : Math.min(jobs, toRead.length);
    this.#busyThreads = count;
    try {
      await workInParallel(toRead, { count, signal, stop: this.#stop }, async ([at, source]) => {
        this.#set(at, source, await this.#audit(at, audit, source, known.get(source.path)?.folderFile));
        this.#emitDays();
      });
    } catch (error) {
      // It is the reason in the summary.
      if (!(error instanceof TickhaulError)) throw error;
    } finally {
      if (isHere) freeMemoriesWhenIdle();
      await Promise.all(this.#recording);
      await this.#writeLogs();
    }
    return this.#tally.summary({
      stopped: this.#signal.aborted ? abortReason(this.#signal) : undefined,
      unfinished: days.length - this.#emitted,
      bytes: this.#bytes,
      seconds: secondsSince(startedAtMs),
    });
  }

  /** Emits the verdicts up to the first day without one. */
  #emitDays(): void {
    for (let verdict = this.#verdicts[this.#emitted]; verdict !== undefined; ) {
      if (verdict) {
        const judged = this.#judgeRows(this.#emitted, verdict);
        if (!judged) return;
        this.#tally.add(judged);
        this.#input.emit({ event: 'day', ...judged });
        if (this.#input.findsGoodDays && judged.date === '') this.#warnOfUnknownDay(judged);
      }
      // A verdict is not needed any more, and there may be a million.
      this.#verdicts[this.#emitted] = null;
      verdict = this.#verdicts[++this.#emitted];
    }
  }

  #warnOfUnknownDay({ path }: AuditedDay): void {
    const message = `${path}: neither its name nor a row tells its day, so it counts for no day`;
    this.#input.emit({ event: 'warning', message });
  }

  #set(at: number, { file }: Pick<AuditSource, 'file'>, verdict: AuditedDay | null | undefined): void {
    this.#verdicts[at] = verdict;
    if (verdict === undefined) return;
    if (verdict?.rows) this.#withRows.add(verdict);
    const key = file && toSeriesKey(file);
    if (key) this.#openDays.set(key, (this.#openDays.get(key) ?? 0) - 1);
  }

  /** Adds the check that depends on the series; undefined while it depends on days without a verdict. */
  #judgeRows(at: number, verdict: AuditedDay): AuditedDay | undefined {
    if (!verdict.checks) return verdict;
    const { degrading } = this.#input;
    if (verdict.rows !== 0) return addNoRows(verdict, 0, degrading);
    const hasOther = this.#withRows.hasOther(verdict);
    if (!hasOther && (this.#openDays.get(toSeriesKey(verdict)) ?? 0) > 0) return undefined;
    const judged = addNoRows(verdict, hasOther ? 1 : 0, degrading);
    const { record, folderFile } = this.#empty.get(at) ?? {};
    if (record && folderFile && judged.reasons.join() !== record.reasons.join())
      this.#recording.push(this.#record(record, judged, folderFile));
    return judged;
  }

  /** Adds the other days of the folders, which are not part of the run. */
  async #addOthers(): Promise<void> {
    const warn = (): void => {};
    for (const { destination } of await this.#input.folders.opened()) {
      const records = (await destination.readRecords({ warn, signal: this.#signal })) ?? [];
      for (const { file, rows } of records)
        if (rows > 0) this.#withRows.add({ ...file, date: formatDay(file.day) });
    }
  }

  /** @returns undefined if the run was stopped. */
  async #audit(
    at: number,
    auditJob: RunTask<AuditJob, AuditJobResult, AuditedBytes>,
    { path, file }: AuditSource,
    folderFile: KnownFile['folderFile'],
  ): Promise<AuditedDay | null | undefined> {
    const { thresholds, emit } = this.#input;
    emit({ event: 'start', file, path });
    let position = 0;
    const onEvent = ([received, total]: AuditedBytes): void => {
      position += received;
      this.#bytes += received;
      emit({ event: 'progress', path, received, position, total });
    };
    let audited: AuditJobResult;
    try {
      const job = { location: path, file, thresholds, busyThreads: this.#busyThreads };
      audited = await auditJob(job, { onEvent, signal: this.#signal });
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      if (!(error instanceof TickhaulError) || judgeError(error).affectsRun) throw error;
      return this.#judgeCorrupt({ path, file }, error, { folderFile });
    }
    const { result, content } = audited;
    const record = createAuditRecord(folderFile?.path ?? path, result, content, thresholds);
    const verdict = await this.#judge(record, path);
    if (folderFile && record.version !== undefined) await this.#record(record, verdict, folderFile);
    const { reasons } = verdict;
    await this.#noteEmpty(at, {
      record: { ...record, reasons },
      folderFile: record.version ? folderFile : undefined,
    });
    return this.#dropUnselected(record, verdict);
  }

  /** Records the reasons if they differ from those of the last run. */
  async #judgeKnown(
    at: number,
    record: AuditRecord,
    path: string,
    known: KnownFile | undefined,
  ): Promise<AuditedDay | null> {
    const verdict = await this.#judge(record, path);
    if (record.rows === 0) await this.#noteEmpty(at, { record, folderFile: known?.folderFile });
    else if (known?.folderFile && verdict.reasons.join() !== record.reasons.join())
      await this.#record(record, verdict, known.folderFile);
    return this.#dropUnselected(record, verdict);
  }

  async #noteEmpty(at: number, file: EmptyFile): Promise<void> {
    if (file.record.rows > 0) return;
    this.#empty.set(at, file);
    this.#othersAdded ??= this.#addOthers();
    await this.#othersAdded;
  }

  /** Null if the content of a file shows that it is not selected. */
  #dropUnselected(record: AuditRecord, verdict: AuditedDay): AuditedDay | null {
    return this.#isSelected(toDayFile(record)) ? verdict : null;
  }

  async #record(record: AuditRecord, { reasons }: AuditedDay, { log }: FolderFile): Promise<void> {
    const judged = { ...record, reasons };
    await log.add(judged, this.#signal).catch((error: unknown) => this.#warn(error));
  }

  /** Also records the verdict, for commands that select days by the records. */
  async #judgeCorrupt(
    { path, file, info }: Pick<AuditSource, 'path' | 'file' | 'info'>,
    error: TickhaulError,
    known: Pick<KnownFile, 'folderFile'> | undefined,
  ): Promise<AuditedDay> {
    const { thresholds, files } = this.#input;
    if (known?.folderFile && error.code === 'corrupt')
      await recordCorruptFile({ path, file, info }, known.folderFile, thresholds, files, this.#signal).catch(
        (thrown: unknown) => this.#warn(thrown),
      );
    const facts = this.#facts.get(file?.exchange ?? '') ?? NO_EXCHANGE_FACTS;
    const day = describeDay(file, facts);
    return { ...day, path, condition: 'corrupt', reasons: [], error: toFileError(error) };
  }

  async #judge(record: AuditRecord, path: string): Promise<AuditedDay> {
    const { exchange } = record;
    let facts = this.#facts.get(exchange);
    if (!facts) {
      facts = exchange === '' ? NO_EXCHANGE_FACTS : await this.#input.fetchFacts(exchange);
      this.#facts.set(exchange, facts);
    }
    return judgeDay(record, path, facts, this.#input.degrading);
  }

  async #writeLogs(): Promise<void> {
    for (const { log } of await this.#input.folders.opened())
      await log.write(this.#input.signal).catch((error: unknown) => this.#warn(error));
  }

  /** The results are printed even where they cannot be recorded. */
  #warn(error: unknown): void {
    if (!(error instanceof TickhaulError)) throw error;
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const message = `the results are not recorded, so the next audit reads the files again: ${error.message}`;
    this.#input.emit({ event: 'warning', message });
  }
}

function toDayFile({ exchange, dataType, symbol, date }: AuditRecord): DayFile | undefined {
  return date === '' ? undefined : { exchange, dataType, symbol, day: parseDay(date) };
}
