import { TickhaulError } from '../../base/errors.js';
import { dataTypeOf, headerNames } from './head.js';
import { type Header, readHeader, schemaOf } from './header.js';
import { splitLine } from './line.js';
import { parseRecords } from './quoted.js';

/** What the first row of a day file tells. */
export interface DayFileHeader extends Header {
  readonly dataType: string;
}

/**
 * Reads a file's first row, which ends in LF.
 * @param path the source's, for messages. @param dataType undefined where the names have to tell it.
 * @throws TickhaulError `corrupt`, as `readHeader` does.
 */
export function readDayFileHeader(
  text: Buffer,
  isQuoted: boolean,
  path: string,
  dataType: string | undefined,
): DayFileHeader {
  const type = dataType ?? dataTypeOf(headerNames(text)) ?? 'unknown';
  const cells = isQuoted
    ? (parseRecords(text, { source: path, line: 1 }, [])[0] ?? [])
    : splitLine(text.subarray(0, -1));
  return { dataType: type, ...readHeader(cells, path, type) };
}

/**
 * What is known of a file without a byte.
 * @throws usage error where nothing tells its data type.
 */
export function emptyDayFileHeader(path: string, dataType: string | undefined): DayFileHeader {
  if (dataType !== undefined) return { dataType, schema: schemaOf(dataType), warning: undefined };
  const message = `${path}: the file is empty and its name doesn't tell the data type; name it with --type`;
  throw new TickhaulError('usage', message);
}
