import { usageError } from '../../base/errors.js';
import { countNeededDecimals, plural } from '../../base/units.js';
import { US_PER_DAY } from '../../day-files/day.js';
import { getDictionary } from '../../format/batch.js';
import type { ExportIo, ExportJob, ExportSource, OutputOwner } from '../export-target.js';
import type { SpillFile } from '../job-memory.js';
import { CATALOG_COLUMNS, countGroupRows } from './catalog-columns.js';
import {
  type CatalogFile,
  type CatalogFormat,
  DirectCatalogFile,
  SpilledCatalogFile,
} from './catalog-file.js';
import {
  type CatalogInstrument,
  type CatalogSettings,
  findInstrument,
  formatCatalogName,
  formatCatalogPath,
  UnknownPrecision,
} from './catalog-instrument.js';
import { CatalogPass, UnsortedRows } from './catalog-pass.js';
import { BAR_TABLE, CATALOG_TABLES, type CatalogSourceType, type CatalogTable } from './catalog-tables.js';
import { FIXED_LIMITS } from './fixed-point.js';
import { formatBarType, parseBarName } from './nautilus-options.js';

/**
 * Writes the files of a NautilusTrader catalog for one day file: one for each instrument
 * (docs/spec/nautilus-catalog.md#paths).
 * @throws TickhaulError `usage` if the precision or id of an instrument is unknown, or if a value does not fit;
 * `corrupt`, with the row; errors of `io`.
 */
export async function exportCatalog({ sources, settings }: ExportJob, io: ExportIo): Promise<void> {
  const [source] = sources;
  if (!source) throw new Error('a job without a source');
  const catalog = settings as CatalogSettings;
  try {
    await exportSorted(source, catalog, io).catch(async (error: unknown) => {
      if (!(error instanceof UnsortedRows)) throw error;
      await io.restart();
      await exportSorted(source, catalog, io, await io.createSpill());
    });
  } catch (error) {
    if (!(error instanceof UnknownPrecision)) throw error;
    throw await createPrecisionError(source, error, FIXED_LIMITS[catalog.precision].scale, io);
  }
}

/** @param sortSpill for rows to sort; without it, rows must be in order. */
async function exportSorted(
  source: ExportSource,
  settings: CatalogSettings,
  io: ExportIo,
  sortSpill?: SpillFile,
): Promise<void> {
  const { precision } = settings;
  const bars = settings.bars === undefined ? undefined : parseBarName(settings.bars);
  const table: CatalogTable = bars ? BAR_TABLE : CATALOG_TABLES[source.file.dataType as CatalogSourceType];
  const known = new Map<string, CatalogInstrument>();
  const findKnownInstrument = (symbol: string): CatalogInstrument => {
    const instrument = known.get(symbol) ?? findInstrument(settings, source.file.exchange, symbol);
    known.set(symbol, instrument);
    return instrument;
  };
  const identify = (instrument: CatalogInstrument): string =>
    bars ? formatBarType(instrument.id, bars) : instrument.id;
  const formatPath = (instrument: CatalogInstrument, first: bigint, last: bigint): string =>
    formatCatalogPath(settings.catalog, table.type, identify(instrument), first, last);
  const describe = (instrument: CatalogInstrument): CatalogFormat => ({
    columns: CATALOG_COLUMNS[table.type],
    precision,
    metadata: {
      [bars ? 'bar_type' : 'instrument_id']: identify(instrument),
      price_precision: String(instrument.precision.price),
      size_precision: String(instrument.precision.size),
    },
  });
  const createFile = createFileFactory(io);
  const ownerOf = createOwners(settings, source.file.exchange);
  const pass = new CatalogPass({
    source,
    table,
    precision,
    bars,
    findInstrument: findKnownInstrument,
    ownerOf,
    nameFolder: (instrument) => formatCatalogName(settings.catalog, identify(instrument)),
    createFile: (instrument, first) =>
      createFile(describe(instrument), formatPath(instrument, first, first), ownerOf(instrument)),
    sortSpill,
  });
  const numberText = bars ? 'none' : 'long';
  const batchRows = countGroupRows(table.type, precision);
  const { sourceColumns: columns } = table;
  await io.read(source, { numberText, columns, batchRows }, (batch) => pass.push(batch));
  await pass.end();
  for (const { instrument, file, first, last, sourceRows } of pass.instruments)
    await file?.end(formatPath(instrument, first, last), sourceRows);
  io.leaveOut(bars ? 'zero_volume' : 'zero_size', pass.droppedSourceRows);
  warnOf(pass, source, table, io);
  warnOfOtherDays(pass, source, io);
}

const ADVICE =
  'download the day files of each of them, and export one with --instrument-id, or to another folder';

/** Creates the owners of folders. With an id for all rows, the user has named what they belong to. */
function createOwners(
  { catalog, instrumentId }: CatalogSettings,
  exchange: string,
): (instrument: CatalogInstrument) => OutputOwner {
  const pythonNames = new Map<string, string>();
  return ({ id, symbol }) => {
    const name = instrumentId ?? `${exchange} ${symbol}`;
    const pythonName = formatCatalogName('python', id);
    pythonNames.set(name, pythonName);
    const isApart = (other: string): boolean => catalog === 'rust' && pythonNames.get(other) !== pythonName;
    return { name, advise: (other) => `${isApart(other) ? 'use --catalog python, or ' : ''}${ADVICE}` };
  };
}

/**
 * Creates a factory of files, which takes the format of a file, and a path until its end. The first file is written at
 * once. There can be thousands of others, which share a spill.
 */
function createFileFactory(
  io: ExportIo,
): (format: CatalogFormat, path: string, owner: OutputOwner) => Promise<CatalogFile> {
  let isFirst = true;
  let spill: SpillFile | undefined;
  return async (format, path, owner) => {
    if (isFirst) {
      isFirst = false;
      return new DirectCatalogFile(format, await io.create(path, owner, true));
    }
    spill ??= await io.createSpill();
    return new SpilledCatalogFile(format, spill, (finalPath) => io.create(finalPath, owner));
  };
}

function warnOf(
  pass: CatalogPass,
  { path }: ExportSource,
  { requiredLane }: CatalogTable,
  io: ExportIo,
): void {
  const { isReordered, roundedCount, droppedRows } = pass;
  if (isReordered) io.warn(`${path}: rows were not in the order of local_timestamp; sorted them`);
  if (roundedCount > 0)
    io.warn(`${path}: rounded ${plural(roundedCount, 'value')} with more decimals than their precision`);
  if (droppedRows > 0) io.warn(`${path}: left out ${plural(droppedRows, 'row')} ${requiredLane?.what}`);
}

/** A catalog refuses files that overlap. */
function warnOfOtherDays({ instruments }: CatalogPass, { path, file }: ExportSource, io: ExportIo): void {
  const dayStart = 1000n * BigInt(file.day * US_PER_DAY);
  const dayEnd = dayStart + 1000n * BigInt(US_PER_DAY);
  const outside = instruments
    .filter((rows) => rows.file)
    .flatMap(({ first, last }) => [first, last])
    .find((time) => time < dayStart || time >= dayEnd);
  if (outside === undefined) return;
  const time = new Date(Number(outside / 1_000_000n)).toISOString();
  io.warn(
    `${path}: rows with a local timestamp outside of the file's UTC day, such as ${time}; a catalog refuses files that overlap`,
  );
}

/** Reads the source for the decimals that the values of a symbol have. */
async function createPrecisionError(
  source: ExportSource,
  { symbol, kinds }: UnknownPrecision,
  maxDecimals: number,
  io: ExportIo,
): Promise<Error> {
  const most = { price: 0, size: 0 };
  await io.read(source, { numberText: 'all' }, (batch) => {
    const { indices, texts } = getDictionary(batch, 'symbol');
    const wanted = texts.indexOf(symbol);
    for (const [i, { name }] of batch.schema.entries()) {
      const kind = name.includes('price') ? 'price' : name.includes('amount') ? 'size' : undefined;
      const column = batch.columns[i];
      if (kind === undefined || column?.kind !== 'number' || !column.text) continue;
      const { bytes, offsets } = column.text;
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, offsets.at(-1)).toString('latin1');
      for (let row = 0; row < batch.rows; row++) {
        const cell = text.slice(offsets[row], offsets[row + 1]);
        if (cell !== '' && indices[row] === wanted && mayNeedDecimals(cell, most[kind]))
          most[kind] = Math.max(most[kind], countNeededDecimals(cell));
      }
    }
  });
  const flags = kinds.map((kind) => `--${kind}-precision ${Math.min(most[kind], maxDecimals)}`).join(' ');
  return usageError(`${source.path}: the precision of ${symbol} is not known; its values need ${flags}`);
}

/** Whether a text is long enough to have more decimals than `known`, or has an exponent. */
function mayNeedDecimals(text: string, known: number): boolean {
  const point = text.indexOf('.');
  return (point >= 0 && text.length - point - 1 > known) || /[eE]/.test(text);
}
