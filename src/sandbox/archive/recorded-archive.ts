import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, usageError } from '../../base/errors.js';
import { DATA_TYPES } from '../../day-files/data-types.js';
import { GROUP_TYPES } from '../../day-files/dataset-symbol.js';
import { addDays, type Day, parseDay } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import {
  formatMidnight,
  type SandboxDatasetSymbol,
  type SandboxExchange,
  toAvailableSymbol,
} from '../simulation/synthetic-exchanges.js';
import { compressToFile, createContentCache, type GzipContent, openFileContent } from './gzip-content.js';
import type { Archive } from './synthetic-archive.js';

export interface RecordedArchiveOptions {
  /** Folder of day files named `<exchange>_<dataType>_<YYYY-MM-DD>_<symbol>.csv` or `.csv.gz`. */
  readonly folder: string;
  /** Exchanges with raw data slices in the folder. Their channels are unknown. */
  readonly feedExchanges: readonly string[];
  /** The first UTC day that is not exported; the day after the last file by default. */
  readonly exportedUntil: Day | undefined;
  /** Folder for compressed files. The caller removes it. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

interface ReplayFile extends DayFile {
  readonly path: string;
}

/**
 * Serves a folder of day files. The exchange records list the files that exist.
 * @throws usage error for a folder that cannot be read or contains no day file.
 */
export async function openRecordedArchive(options: RecordedArchiveOptions): Promise<Archive> {
  const files = await findDayFiles(options.folder, options.feedExchanges.length > 0);
  const byKey = new Map(files.map((file) => [formatKey(file), file]));
  const getContent = createContentCache(0);
  let compressedFiles = 0;
  const createContent = ({ path }: ReplayFile): Promise<GzipContent> =>
    path.endsWith('.gz')
      ? openFileContent(path, options.signal)
      : compressToFile(
          createReadStream(path),
          join(options.scratch, `${compressedFiles++}.csv.gz`),
          options.signal,
        );
  return {
    exchanges: [
      ...createExchanges(files, options.exportedUntil),
      ...options.feedExchanges
        .filter((id) => files.every((file) => file.exchange !== id))
        .map(createFeedExchange),
    ],
    open: async (requested) => {
      const file = byKey.get(formatKey(requested));
      return file && getContent(file.path, () => createContent(file));
    },
  };
}

async function findDayFiles(folder: string, mayBeEmpty: boolean): Promise<readonly ReplayFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw usageError(
      `the replay folder ${folder} cannot be read (${isSystemError(error) ? error.code : error})`,
    );
  });
  const files = names.map((name) => parseName(folder, name)).filter((file) => file !== undefined);
  if (files.length > 0 || mayBeEmpty) return files;
  throw usageError(
    `${folder} holds no day file to replay: name them <exchange>_<dataType>_<YYYY-MM-DD>_<symbol>.csv or .csv.gz`,
  );
}

// Data types contain underscores, so known ones are matched first, longer ones before their prefixes.
const KNOWN_TYPES = [...DATA_TYPES].sort((a, b) => b.length - a.length).join('|');
const FILE_NAME = new RegExp(`^(.+?)_(${KNOWN_TYPES}|[^_]+)_(\\d{4}-\\d{2}-\\d{2})_(.+)\\.csv(\\.gz)?$`, 'u');

function parseName(folder: string, name: string): ReplayFile | undefined {
  const match = FILE_NAME.exec(name);
  if (!match) return undefined;
  const [, exchange = '', dataType = '', day = '', symbol = ''] = match;
  return { exchange, dataType, symbol, day: parseDay(day), path: join(folder, name) };
}

function createExchanges(
  files: readonly ReplayFile[],
  exportedUntil: Day | undefined,
): readonly SandboxExchange[] {
  const byExchange = groupBy(files, ({ exchange }) => exchange);
  return [...byExchange].map(([id, exchangeFiles]) => {
    const { since, until: lastUntil } = findDaySpan(exchangeFiles);
    const until = exportedUntil ?? lastUntil;
    const symbols = [...groupBy(exchangeFiles, ({ symbol }) => symbol)].map(([symbol, days]) =>
      createSymbol(symbol, days, until),
    );
    return {
      id,
      name: id,
      enabled: true,
      supportsDatasets: true,
      availableSince: formatMidnight(since),
      availableChannels: [],
      availableSymbols: symbols.map((symbol) => toAvailableSymbol(id, symbol)),
      incidentReports: [],
      channelDetails: [],
      datasets: {
        formats: ['csv'],
        exportedFrom: formatMidnight(since),
        exportedUntil: formatMidnight(until),
        stats: { trades: 0, bookChanges: 0 },
        symbols,
      },
    };
  });
}

/** Record of an exchange without day files. */
function createFeedExchange(id: string): SandboxExchange {
  return {
    id,
    name: id,
    enabled: true,
    supportsDatasets: false,
    availableSince: formatMidnight(0 as Day),
    availableChannels: [],
    availableSymbols: [],
    incidentReports: [],
    channelDetails: [],
  };
}

function createSymbol(id: string, files: readonly ReplayFile[], until: Day): SandboxDatasetSymbol {
  return {
    id,
    type: guessSymbolType(id),
    availableSince: formatMidnight(findDaySpan(files).since),
    availableTo: formatMidnight(until),
    dataTypes: [...new Set(files.map(({ dataType }) => dataType))],
  };
}

/** Guessed, since file names do not include the type. */
function guessSymbolType(id: string): string {
  return GROUP_TYPES[id] ?? (/PERP/.test(id) ? 'perpetual' : 'spot');
}

function findDaySpan(files: readonly ReplayFile[]): { readonly since: Day; readonly until: Day } {
  const days = files.map(({ day }) => day).sort((a, b) => a - b);
  const [first = 0 as Day] = days;
  return { since: first, until: addDays(days.at(-1) ?? first, 1) };
}

function groupBy(
  files: readonly ReplayFile[],
  keyOf: (file: ReplayFile) => string,
): Map<string, ReplayFile[]> {
  const groups = new Map<string, ReplayFile[]>();
  for (const file of files) {
    const key = keyOf(file);
    const group = groups.get(key);
    if (group) group.push(file);
    else groups.set(key, [file]);
  }
  return groups;
}

function formatKey({ exchange, dataType, symbol, day }: DayFile): string {
  return JSON.stringify([exchange, dataType, symbol, day]);
}
