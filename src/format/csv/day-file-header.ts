import { TickhaulError } from '../../base/errors.js';
import { type CsvHeader, dataTypeSchema, parseCsvHeader } from './csv-header.js';
import { inferDataType, parseHeaderNames } from './header-buffer.js';
import { parseRecords } from './quoted-records.js';
import { splitLine } from './split-line.js';

/** Content of a day file's first row. */
export interface DayFileHeader extends CsvHeader {
  readonly dataType: string;
}

/**
 * Reads a file's first row, which ends in LF.
 * @param path path of the source, for messages.
 * @param dataType undefined if it must be inferred from the column names.
 * @throws TickhaulError `corrupt`, as `parseCsvHeader` does.
 */
export function readDayFileHeader(
  text: Buffer,
  isQuoted: boolean,
  path: string,
  dataType: string | undefined,
): DayFileHeader {
  const type = dataType ?? inferDataType(parseHeaderNames(text)) ?? 'unknown';
  const [cells = []] = isQuoted
    ? parseRecords(text, { source: path, line: 1 }, [])
    : [splitLine(text.subarray(0, -1))];
  return { dataType: type, ...parseCsvHeader(cells, path, type) };
}

/**
 * The header of a file without any bytes.
 * @throws TickhaulError `usage` if the data type is unknown.
 */
export function emptyDayFileHeader(path: string, dataType: string | undefined): DayFileHeader {
  if (dataType !== undefined) return { dataType, schema: dataTypeSchema(dataType), warning: undefined };
  const message = `${path}: the file is empty and its name does not state the data type; set it with --type`;
  throw new TickhaulError('usage', message);
}
