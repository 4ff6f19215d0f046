import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dataTypeColumns } from '../../dataset/data-types.js';
import { GROUPED_SYMBOLS } from '../../dataset/dataset-symbol.js';
import type { Day } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import { generateDayFileText } from '../day-files/generate-day-file.js';
import { QUIET_SYMBOL } from '../market/exchange-outlines.js';
import { type SandboxExchange, createSyntheticExchanges } from '../market/synthetic-exchanges.js';
import type { MarketSize } from '../market/market-size.js';
import { type GzipContent, compressToFile, compressToMemory, createMemoryContent } from './gzip-content.js';
import { ContentCache } from './content-cache.js';

/** Bytes of small files kept in memory. */
const MAX_CACHE_BYTES = 64_000_000;
/** Files with more cells are kept on disk. */
const MAX_CELLS_IN_MEMORY = 400_000;

/** What the embedded service serves: records, and the day files they announce. */
export interface Archive {
  readonly exchanges: readonly SandboxExchange[];
  /** The file's bytes; undefined where that day is not there. */
  open(file: DayFile): Promise<GzipContent | undefined>;
}

export interface SyntheticArchiveOptions extends MarketSize {
  /** The first UTC day that is not exported. */
  readonly exportedUntil: Day;
  /** Folder for large files, removed by the caller. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** Made-up market data, the same bytes for the same seed and rows. Files are made when they are first asked for. */
export function createSyntheticArchive(options: SyntheticArchiveOptions): Archive {
  const exchanges = createSyntheticExchanges(options.exportedUntil, options.rows);
  const cache = new ContentCache(MAX_CACHE_BYTES);
  let largeFiles = 0;
  const make = (file: DayFile): Promise<GzipContent> => {
    if (file.symbol === QUIET_SYMBOL) return Promise.resolve(createMemoryContent(gzipSync('')));
    const members = listMembers(exchanges, file);
    const text = generateDayFileText(file, members, options);
    const cells = options.rows * members.length * (dataTypeColumns(file.dataType)?.length ?? 0);
    return cells <= MAX_CELLS_IN_MEMORY
      ? compressToMemory(text, options.signal)
      : compressToFile(text, join(options.scratch, `${largeFiles++}.csv.gz`), options.signal);
  };
  return {
    exchanges,
    open: (file) => cache.get(JSON.stringify(file), () => make(file)),
  };
}

/** The symbols that a grouped symbol repeats: of its type, listed on that day. An options chain names its own. */
function listMembers(
  exchanges: readonly SandboxExchange[],
  { exchange, dataType, symbol, day }: DayFile,
): string[] {
  if (!GROUPED_SYMBOLS.has(symbol) || dataType === 'options_chain') return [symbol];
  const symbols = exchanges.find(({ id }) => id === exchange)?.datasets?.symbols ?? [];
  const type = symbols.find(({ id }) => id === symbol)?.type;
  return symbols
    .filter(
      (member) =>
        member.type === type &&
        !GROUPED_SYMBOLS.has(member.id) &&
        member.id !== QUIET_SYMBOL &&
        isAvailableOn(member, day),
    )
    .map(({ id }) => id);
}

/** Whether the day begins in the time the symbol was available. */
export function isAvailableOn(
  { availableSince, availableTo }: { readonly availableSince: string; readonly availableTo?: string },
  day: Day,
): boolean {
  const start = day * 86_400_000;
  return (
    start >= Date.parse(availableSince) && (availableTo === undefined || start < Date.parse(availableTo))
  );
}
