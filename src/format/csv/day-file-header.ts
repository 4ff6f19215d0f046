import { TickhaulError } from '../../base/errors.js';
import { type CsvHeader, dataTypeSchema, parseCsvHeader } from './csv-header.js';
import { inferDataType, parseHeaderNames } from './header-buffer.js';
import { parseRecords } from './quoted-records.js';
import { splitLine } from './split-line.js';

/** What the first row of a day file tells. */
export interface DayFileHeader extends CsvHeader {
  readonly dataType: string;
}

/**
 * Reads a file's first row, which ends in LF.
 * @param path the source's, for messages. @param dataType undefined where the names have to tell it.
 * @throws TickhaulError `createCorruptError`, as `parseCsvHeader` does.
 */
export function readDayFileHeader(
  text: Buffer,
  isQuoted: boolean,
  path: string,
  dataType: string | undefined,
): DayFileHeader {
  const type = dataType ?? inferDataType(parseHeaderNames(text)) ?? 'unknown';
  const cells = isQuoted
    ? (parseRecords(text, { source: path, line: 1 }, [])[0] ?? [])
    : splitLine(text.subarray(0, -1));
  return { dataType: type, ...parseCsvHeader(cells, path, type) };
}

/**
 * What is known of a file without a byte.
 * @throws usage error where nothing tells its data type.
 */
export function emptyDayFileHeader(path: string, dataType: string | undefined): DayFileHeader {
  if (dataType !== undefined) return { dataType, schema: dataTypeSchema(dataType), warning: undefined };
  const message = `${path}: the file is empty and its name doesn't tell the data type; name it with --type`;
  throw new TickhaulError('usage', message);
}
