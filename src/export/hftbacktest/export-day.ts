import { GROUPED_SYMBOLS } from '../../dataset/dataset-symbol.js';
import { formatDay } from '../../dataset/day.js';
import type { Batch, Schema } from '../../format/batch.js';
import type { ExportIo } from '../export-io.js';
import type { ExportSource } from '../export-source.js';
import type { ExportJob } from '../export-target.js';
import { DayEvents } from './day-events.js';
import { EventSpace } from './event-space.js';
import type { Clock, EventStore } from './event-store.js';
import type { HftbacktestSettings } from './hftbacktest-settings.js';
import { createInlineEncoder, createThreadEncoder, type RowEncoder } from './row-encoder.js';
import { SortedEvents } from './sorted-events.js';
import { writeNpz } from './write-npz.js';

/** Events in memory, for all symbols of a job; those beyond are in a file. */
const MEMORY_BYTES = 128 * 1_048_576;
/** Symbols that a warning names. */
const MAX_NAMED = 5;

/** Exports the trades and the book of a day: one output, or one for each symbol of a grouped file. */
export async function exportDay({ sources, settings }: ExportJob, io: ExportIo): Promise<void> {
  const { baseLatencyNs, snapshots } = settings as HftbacktestSettings;
  const [{ file }] = sources as readonly [ExportSource];
  const isGrouped = GROUPED_SYMBOLS.has(file.symbol);
  const space = new EventSpace(() => io.createSpill(), MEMORY_BYTES);
  const events = new DayEvents(space, snapshots, isGrouped);
  let encoder: RowEncoder | undefined;
  const read = async (dataType: string, add: (batch: Batch, schema: Schema) => void): Promise<void> => {
    const source = sources.find((known) => known.file.dataType === dataType) as ExportSource;
    await io.read(source, { numberText: false }, (batch, schema) => {
      add(batch, schema);
      // Threads start while the files are read.
      if (space.hasFullChunk && io.canStartThreads) encoder ??= createThreadEncoder();
      return space.flush();
    });
  };
  try {
    // Both at once: on two processors, another thread reads a large book, and this one the trades.
    const reads = await Promise.allSettled([
      read('incremental_book_L2', (batch, schema) => events.addBook(batch, schema)),
      read('trades', (batch, schema) => events.addTrades(batch, schema)),
    ]);
    for (const result of reads) if (result.status === 'rejected') throw result.reason;
    events.end();
    encoder ??= createInlineEncoder();
    const day = `${file.exchange}_${formatDay(file.day)}`;
    const deflated = await io.createSpill();
    for (const [symbol, { trades, book }] of [...events.symbols].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!trades || !book) continue;
      const byExch = await openSorted(space, trades, book, 'exch');
      const byLocal = await openSorted(space, trades, book, 'local');
      const out = await io.create(`${day}_${isGrouped ? symbol : file.symbol}.npz`);
      const shiftNs = latencyShiftNs(Math.min(trades.minLatency, book.minLatency), baseLatencyNs);
      out.end(await writeNpz(byExch, byLocal, shiftNs, encoder, deflated, out));
    }
    warnOfHalves(events, `${day}_${file.symbol}`, io);
  } finally {
    await encoder?.close();
  }
}

/** Of equal times, trades are first. */
function openSorted(
  space: EventSpace,
  trades: EventStore,
  book: EventStore,
  clock: Clock,
): Promise<SortedEvents> {
  return SortedEvents.open(space, [...trades.ascendingRuns(clock), ...book.ascendingRuns(clock)], clock);
}

/** What makes a negative latency the base latency; nothing changes if none is negative. */
function latencyShiftNs(minLatencyUs: number, baseLatencyNs: number): bigint {
  return minLatencyUs < 0 ? BigInt(-minLatencyUs) * 1000n + BigInt(baseLatencyNs) : 0n;
}

/** Symbols with only one of the data types have no output. */
function warnOfHalves({ symbols }: DayEvents, day: string, io: ExportIo): void {
  for (const [name, other, lacks] of [
    ['trades', 'book', 'incremental_book_L2'],
    ['book', 'trades', 'trades'],
  ] as const) {
    const halves = [...symbols]
      .filter(([, events]) => events[name] && !events[other])
      .map(([symbol]) => symbol);
    if (halves.length === 0) continue;
    const named = halves.slice(0, MAX_NAMED).join(', ');
    const more = halves.length > MAX_NAMED ? ` and ${halves.length - MAX_NAMED} more` : '';
    io.warn(`${day}: skipping symbols without rows of ${lacks}: ${named}${more}`);
  }
}
