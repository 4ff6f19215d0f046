import type { AuditLog, AuditRecord } from '../../audit/audit-log.js';
import type { DayVerdict } from '../../audit/audit-tally.js';
import { TickhaulError, usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { IsExcluded, SelectedSource, SourceExclusion } from '../../convert/naming/find-sources.js';
import { formatDay } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { SeriesNames } from '../../events/audited-day.js';
import type { EventSink } from '../../events/run-events.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { Context } from '../context.js';

/** Days by verdict; `good` also leaves out what `skipDegraded` does. */
interface VerdictOptions {
  readonly good: boolean;
  readonly skipDegraded?: boolean;
}

/**
 * Opens the filter of `--good` or `--skip-degraded`, by the records of the last audit; undefined without either.
 * @param store undefined if all files are local.
 * @param dataTypes those that the command reads; by default all. Files of others do not count for `--good`.
 */
export async function openVerdictFilter(
  { good, skipDegraded }: VerdictOptions,
  context: Context,
  store: StoreSettings | undefined,
  dataTypes?: readonly string[],
): Promise<SourceExclusion | undefined> {
  if (!good && !skipDegraded) return undefined;
  const { emit, signal, defer } = context;
  const { downloadDir } = await context.settings();
  const { DownloadFolders, isUnchanged } = await import('../../audit/download-folders.js');
  const files: Files = openFiles(store);
  defer(() => files.close());
  const folders = new DownloadFolders(downloadDir, files, store, signal);
  defer(() => folders.close());
  const recordsByLog = new Map<AuditLog, ReadonlyMap<string, AuditRecord>>();
  const verdicts: Verdicts = {
    async find(path) {
      const found = await folders.find(path);
      if (!found) return undefined;
      const records = recordsByLog.get(found.log) ?? found.log.records();
      recordsByLog.set(found.log, records);
      return records.get(found.path) ?? 'none';
    },
    isCurrent: async (path, record) => isUnchanged(record, await files.stat(path, signal)),
  };
  if (!good) return async () => createDegradedTest(verdicts, emit);
  const isRead = (file: Pick<DayFile, 'dataType'> | undefined): boolean =>
    dataTypes === undefined || (file !== undefined && dataTypes.includes(file.dataType));
  return async (selected, series) =>
    excludeOtherDays(
      selected.filter(({ file }) => isRead(file)),
      series.filter(isRead),
      verdicts,
      emit,
    );
}

/** The verdicts of the last audits. */
interface Verdicts {
  /** Undefined for a file outside of a download folder, whose audits are not recorded. */
  find(path: string): Promise<AuditRecord | 'none' | undefined>;
  /** Whether the file is still the one that was audited. */
  isCurrent(path: string, record: AuditRecord): Promise<boolean>;
}

/** A file that changed since its audit, or has no record, is not excluded. */
function createDegradedTest({ find, isCurrent }: Verdicts, emit: EventSink): IsExcluded {
  return async (path) => {
    const record = await find(path);
    if (record === undefined || record === 'none' || record.reasons.length === 0) return false;
    if (!(await isCurrent(path, record))) return false;
    emit({ event: 'warning', message: `skipping ${path}: degraded (${record.reasons.join(', ')})` });
    return true;
  };
}

/** Records are looked up for this many files at the same time. */
const LOOKUPS_AT_ONCE = 64;

/**
 * Leaves out the days that are not available for all series, those of the files among them, each with a warning.
 * @throws usage error for files without a record; `unavailable` if no day is left.
 */
async function excludeOtherDays(
  selected: readonly SelectedSource[],
  series: readonly SeriesNames[],
  verdicts: Verdicts,
  emit: EventSink,
): Promise<IsExcluded> {
  if (selected.length === 0) return async () => false;
  const { GoodDaysTally, describeFailedDay, describeNoGoodDay } = await import('../../audit/audit-tally.js');
  const tally = new GoodDaysTally(series);
  const dates = new Map<string, string>();
  const unrecorded: string[] = [];
  for (let at = 0; at < selected.length; at += LOOKUPS_AT_ONCE) {
    const sources = selected.slice(at, at + LOOKUPS_AT_ONCE);
    const judged = await Promise.all(sources.map((source) => readVerdict(source, verdicts)));
    for (const [i, verdict] of judged.entries()) {
      const { path = '' } = sources[i] ?? {};
      if (verdict === undefined) unrecorded.push(path);
      else tally.add(verdict);
      dates.set(path, verdict?.date ?? '');
    }
  }
  if (unrecorded.length > 0)
    throw usageError(
      `--good: ${unrecorded.length} of ${plural(selected.length, 'file')} without a record of an audit, such as ${unrecorded[0]}; run tickhaul audit first`,
    );
  const goodDays = tally.result();
  for (const day of goodDays.otherDays)
    emit({ event: 'warning', message: `skipping ${day.date}: ${describeFailedDay(day)}` });
  if (goodDays.days.length === 0) throw new TickhaulError('unavailable', describeNoGoodDay(goodDays));
  const days = new Set(goodDays.days);
  for (const [path, date] of dates)
    if (date === '') emit({ event: 'warning', message: `skipping ${path}: its day is unknown` });
  return async (path) => {
    const date = dates.get(path);
    return date !== undefined && !days.has(date);
  };
}

/** The recorded verdict on a file; undefined if there is none. @throws usage error for a file that cannot have one. */
async function readVerdict(
  { path, file, isAbsent }: SelectedSource,
  { find, isCurrent }: Verdicts,
): Promise<DayVerdict | undefined> {
  const names = file && {
    exchange: file.exchange,
    dataType: file.dataType,
    symbol: file.symbol,
    date: formatDay(file.day),
  };
  if (names && isAbsent) return { ...names, condition: 'missing', reasons: [] };
  const record = await find(path);
  if (record === undefined)
    throw usageError(
      `--good: ${path} is not in a download folder, so its audits are not recorded; set TICKHAUL_DIR to its folder, or record the folder with tickhaul verify --adopt`,
    );
  if (record === 'none' || !(await isCurrent(path, record))) return undefined;
  const { reasons, isCorrupt } = record;
  const condition = isCorrupt ? 'corrupt' : reasons.length > 0 ? 'degraded' : 'available';
  return { ...(names ?? record), condition, reasons };
}
