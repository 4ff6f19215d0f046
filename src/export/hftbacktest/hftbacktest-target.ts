import { usageError } from '../../base/errors.js';
import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import { formatDay } from '../../day-files/day.js';
import type { ExportJob, ExportPlan, ExportSource, ExportTarget, SkippedSource } from '../export-target.js';
import type { SnapshotMode } from './day-events.js';
import type { HftbacktestSettings } from './export-day.js';

const SNAPSHOT_MODES: readonly SnapshotMode[] = ['process', 'ignore-sod', 'ignore'];
const NS_PER_UNIT: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 };

/** Arrays for hftbacktest, of the trades and the book of a symbol and day (docs/spec/hftbacktest-format.md#container). */
export const hftbacktest: ExportTarget<HftbacktestSettings> = {
  version: 1,
  dataTypes: ['trades', 'incremental_book_L2'],
  flags: ['base-latency', 'snapshots'],
  readSettings(flags) {
    const snapshots = SNAPSHOT_MODES.find((mode) => mode === (flags.snapshots ?? 'process'));
    if (!snapshots)
      throw usageError(`--snapshots: "${flags.snapshots}" is not one of ${SNAPSHOT_MODES.join(', ')}`);
    return { baseLatencyNs: parseNanoseconds(String(flags['base-latency'] ?? '0')), snapshots };
  },
  async plan(sources, settings, context) {
    const jobs: ExportJob[] = [];
    const skipped: SkippedSource[] = [];
    for (const sameDay of groupByDay(sources)) {
      const [source, other, third] = sameDay as readonly [ExportSource, ...ExportSource[]];
      const key = describeDay(source);
      if (other?.file.dataType === source.file.dataType || third)
        throw usageError(
          `${key}: several files have its rows: ${sameDay.map(({ path }) => path).join(', ')}`,
        );
      const { exchange, day } = source.file;
      const place = `${exchange} ${formatDay(day)}`;
      if (other) jobs.push({ target: 'hftbacktest', key, place, sources: sameDay, settings });
      else {
        skipped.push({ source, message: describeMissing(source) });
      }
    }
    const finish: ExportPlan['finish'] = async (outputsOf) => {
      const { createHftbacktestSetup } = await import('./hftbacktest-setup.js');
      return createHftbacktestSetup(jobs, outputsOf, context);
    };
    return { jobs, skipped, finish };
  },
  async loadExporter() {
    const { exportDay } = await import('./export-day.js');
    return exportDay;
  },
};

/** The warning about a day with only one of the two data types. */
function describeMissing({ path, file: { dataType, symbol } }: ExportSource): string {
  const missing = dataType === 'trades' ? 'incremental_book_L2' : 'trades';
  const advice = GROUPED_SYMBOLS.has(symbol)
    ? `${symbol} may have none, so download both data types of its single symbols`
    : 'download them';
  return `skipping ${path}: hftbacktest needs the ${missing} of the same day; ${advice}`;
}

/** @throws usage error. */
function parseNanoseconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)$/.exec(text === '0' ? '0ns' : text.trim());
  const unit = NS_PER_UNIT[match?.[2] ?? ''];
  const nanoseconds = unit === undefined ? Number.NaN : Math.round(Number(match?.[1]) * unit);
  if (!Number.isSafeInteger(nanoseconds))
    throw usageError(`--base-latency: "${text}" is not a duration; use a value such as 500ns, 100us or 2ms`);
  return nanoseconds;
}

/** Adjacent sources of one exchange, symbol and day. */
function groupByDay(sources: readonly ExportSource[]): readonly (readonly ExportSource[])[] {
  const groups = new Map<string, ExportSource[]>();
  for (const source of sources) {
    const key = describeDay(source);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(source);
  }
  return [...groups.values()];
}

function describeDay({ file: { exchange, symbol, day } }: ExportSource): string {
  return `${exchange} ${formatDay(day)} ${symbol}`;
}
