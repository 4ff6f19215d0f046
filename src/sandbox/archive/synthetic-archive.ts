import { join } from 'node:path';
import { dataTypeColumns, findDataType } from '../../day-files/data-types.js';
import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import type { Day } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { DataFault, FaultShares } from '../hosts/sandbox-faults.js';
import type { MarketSize } from '../simulation/market-event.js';
import {
  createSyntheticExchanges,
  QUIET_SYMBOL,
  type SandboxExchange,
} from '../simulation/synthetic-exchanges.js';
import { generateDayFileText } from './generate-day-file.js';
import { compressToFile, compressToMemory, createContentCache, type GzipContent } from './gzip-content.js';

/** Bytes of small files kept in memory. */
const MAX_CACHE_BYTES = 64_000_000;
/** Larger files are kept on disk. */
const MAX_CELLS_IN_MEMORY = 400_000;

/** Shared by all services of this process, since equal options give equal files. */
const getSmallContent = createContentCache(MAX_CACHE_BYTES);

/** The data of the embedded service: exchange records, and the day files that they list. */
export interface Archive {
  readonly exchanges: readonly SandboxExchange[];
  /** Opens a day file; undefined if the day is not available. */
  open(file: DayFile): Promise<GzipContent | undefined>;
}

export interface SyntheticArchiveOptions extends MarketSize {
  /** The first UTC day that is not exported. */
  readonly exportedUntil: Day;
  readonly faults?: FaultShares<DataFault>;
  /** Folder for large files. The caller removes it. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** Synthetic market data, with equal bytes for equal seed and rows. Files are generated on first request. */
export function createSyntheticArchive(options: SyntheticArchiveOptions): Archive {
  const { exportedUntil, rows, seed, faults, scratch, signal } = options;
  const exchanges = createSyntheticExchanges(exportedUntil, rows);
  const getLargeContent = createContentCache(0);
  let largeFiles = 0;
  return {
    exchanges,
    open(file) {
      const members = listMembers(exchanges, file);
      const generate = (): Iterable<string> =>
        file.symbol === QUIET_SYMBOL ? [] : generateDayFileText(file, members, options, faults);
      const cells = rows * members.length * (dataTypeColumns(file.dataType)?.length ?? 0);
      if (cells > MAX_CELLS_IN_MEMORY) {
        return getLargeContent(JSON.stringify(file), () =>
          compressToFile(generate(), join(scratch, `${largeFiles++}.csv.gz`), signal),
        );
      }
      return getSmallContent(JSON.stringify([exportedUntil, rows, seed, faults, file]), () =>
        compressToMemory(generate()),
      );
    },
  };
}

/** The symbols that a grouped symbol repeats: those of its type, listed on that day. An options chain has its own. */
function listMembers(
  exchanges: readonly SandboxExchange[],
  { exchange, dataType, symbol, day }: DayFile,
): string[] {
  if (!GROUPED_SYMBOLS.has(symbol) || findDataType(dataType)?.onlySymbol) return [symbol];
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

/** Whether the day starts while the symbol is available. */
export function isAvailableOn(
  { availableSince, availableTo }: { readonly availableSince: string; readonly availableTo?: string },
  day: Day,
): boolean {
  const start = day * 86_400_000;
  return (
    start >= Date.parse(availableSince) && (availableTo === undefined || start < Date.parse(availableTo))
  );
}
