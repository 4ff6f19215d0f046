import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import { formatDay } from '../../day-files/day.js';
import {
  type BatchSink,
  type ExportIo,
  type ExportJob,
  type ExportSource,
  SELECT_OTHERS,
} from '../export-target.js';
import { DayEvents, type SnapshotMode, type SymbolEvents } from './day-events.js';
import { type Clock, EventSpace } from './event-sequences.js';
import { MergeState, ReadAgain } from './event-store.js';
import { SortedEvents } from './sorted-events.js';
import {
  createInlineEncoder,
  createThreadEncoder,
  DeflatedRows,
  type RowEncoder,
  writeNpz,
} from './write-npz.js';

/** Settings of the target, as JSON. */
export interface HftbacktestSettings {
  /** Added to local times where the least latency is negative. */
  readonly baseLatencyNs: number;
  readonly snapshots: SnapshotMode;
}

/** Events in memory, for all symbols of a job; those beyond are in a file. */
const MEMORY_BYTES = 128 * 1_048_576;
/** Symbols that a warning names. */
const MAX_NAMED = 5;

/**
 * Exports the trades and the book of a day: one output, or one for each symbol of a grouped file. That of one symbol is
 * written while its files are read, if their events are nearly in order.
 */
export async function exportDay(job: ExportJob, io: ExportIo): Promise<void> {
  const events =
    (!isGrouped(job) && (await exportWhileReading(job, io))) || (await exportAfterReading(job, io));
  for (const { trades, book, bookEvents } of events.symbols.values()) {
    const { clears = 0, leftOutRows = 0 } = bookEvents ?? {};
    io.leaveOut('snapshots', leftOutRows);
    if (!trades || !book) io.leaveOut('one_data_type', ((trades ?? book)?.rows ?? 0) - clears);
  }
}

/** @returns the events, which are written; undefined if the files must be read to their ends first. */
async function exportWhileReading(job: ExportJob, io: ExportIo): Promise<DayEvents | undefined> {
  const merge = new MergeState();
  const { space, events } = createEvents(job, io, merge);
  const stores = events.symbols.get('') as CompleteEvents;
  let encoder: RowEncoder | undefined;
  let writing: Promise<void> | undefined;
  const stopOnError = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      merge.stop();
      throw error;
    });
  const startWriting = (): void => {
    encoder = createEncoder(space, io);
    writing = stopOnError(writeSymbol(job, '', stores, space, encoder, io));
    writing.catch(() => {});
  };
  const afterBatch = async (name: 'trades' | 'book'): Promise<void> => {
    merge.check();
    if (!writing && space.hasFullChunk) startWriting();
    await stores[name].waitForRoom();
  };
  try {
    const reads = await Promise.allSettled(startReads(job, io, events, afterBatch).map(stopOnError));
    if (!writing && reads.every(({ status }) => status === 'fulfilled')) startWriting();
    const [written] = await Promise.allSettled([writing]);
    const isStopped = written.status === 'rejected' && written.reason instanceof ReadAgain;
    for (const result of isStopped ? reads : [written, ...reads]) {
      if (result.status === 'fulfilled') continue;
      // Then the error of another file may not be the first one.
      if (result.reason instanceof ReadAgain) return undefined;
      throw result.reason;
    }
    return isStopped ? undefined : events;
  } finally {
    await encoder?.close();
  }
}

async function exportAfterReading(job: ExportJob, io: ExportIo): Promise<DayEvents> {
  const { space, events } = createEvents(job, io);
  let encoder: RowEncoder | undefined;
  const afterBatch = (): Promise<void> => {
    // Threads start while the files are read.
    if (space.hasFullChunk) encoder ??= createEncoder(space, io);
    return space.flush();
  };
  try {
    for (const read of await Promise.allSettled(startReads(job, io, events, afterBatch)))
      if (read.status === 'rejected') throw read.reason;
    encoder ??= createEncoder(space, io);
    for (const [symbol, { trades, book, bookEvents }] of [...events.symbols].sort(([a], [b]) =>
      a < b ? -1 : 1,
    ))
      if (trades && book && bookEvents)
        await writeSymbol(job, symbol, { trades, book, bookEvents }, space, encoder, io);
    warnOfHalves(events, formatOutputName(job, ''), io);
    return events;
  } finally {
    await encoder?.close();
  }
}

type CompleteEvents = Required<Omit<SymbolEvents, 'name'>>;

function isGrouped({ sources: [source] }: ExportJob): boolean {
  return GROUPED_SYMBOLS.has((source as ExportSource).file.symbol);
}

function createEvents(
  job: ExportJob,
  io: ExportIo,
  merge?: MergeState,
): { readonly space: EventSpace; readonly events: DayEvents } {
  const { snapshots } = job.settings as HftbacktestSettings;
  const space = new EventSpace(() => io.createSpill(), MEMORY_BYTES);
  return { space, events: new DayEvents(space, snapshots, isGrouped(job), merge) };
}

function createEncoder(space: EventSpace, io: ExportIo): RowEncoder {
  return space.hasFullChunk && io.spareProcessors > 0 ? createThreadEncoder() : createInlineEncoder();
}

/** Reads book and trades at the same time: on two processors, another thread reads a large book, and this one the trades. */
function startReads(
  { sources }: ExportJob,
  io: ExportIo,
  events: DayEvents,
  afterBatch: (name: 'trades' | 'book') => Promise<void>,
): readonly Promise<void>[] {
  const read = (dataType: string, onBatch: BatchSink): Promise<void> => {
    const source = sources.find(({ file }) => file.dataType === dataType) as ExportSource;
    return io.read(source, { numberText: 'none' }, onBatch);
  };
  const book = read('incremental_book_L2', (batch) => {
    events.addBook(batch);
    return afterBatch('book');
  });
  const trades = read('trades', (batch) => {
    events.addTrades(batch);
    return afterBatch('trades');
  });
  return [book.then(() => events.endBook()), trades.then(() => events.endTrades())];
}

async function writeSymbol(
  job: ExportJob,
  symbol: string,
  { trades, book, bookEvents }: CompleteEvents,
  space: EventSpace,
  encoder: RowEncoder,
  io: ExportIo,
): Promise<void> {
  const { baseLatencyNs } = job.settings as HftbacktestSettings;
  // Of equal times, trades are first.
  const openSorted = (clock: Clock): Promise<SortedEvents> =>
    SortedEvents.open(space, [trades.ascendingRuns(clock), book.ascendingRuns(clock)], clock);
  const [byExch, byLocal] = [await openSorted('exch'), await openSorted('local')];
  const shiftNs = latencyShiftNs(Math.min(trades.minLatency, book.minLatency), baseLatencyNs);
  const name = formatOutputName(job, symbol);
  const out = await io.create(`${name}.npz`, { name, advise: () => SELECT_OTHERS });
  const deflatedRows = new DeflatedRows(() => io.createSpill());
  const rows = await writeNpz(byExch, byLocal, shiftNs, encoder, deflatedRows, out);
  out.end(rows, byExch.passed - bookEvents.clears);
}

/** @param symbol of the rows of a grouped file. */
function formatOutputName({ sources: [source] }: ExportJob, symbol: string): string {
  const { exchange, day, symbol: fileSymbol } = (source as ExportSource).file;
  return `${exchange}_${formatDay(day)}_${symbol || fileSymbol}`;
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
