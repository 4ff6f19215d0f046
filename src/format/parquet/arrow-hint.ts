import { type ArrowType, encodeSchemaMessage } from '../arrow/arrow-message.js';
import { type ParquetColumn, PhysicalType } from './parquet-schema.js';

/** Key under which Arrow's readers look for the types of the columns. */
export const ARROW_SCHEMA_KEY = 'ARROW:schema';

/**
 * The columns of a day file or computed type as an Arrow schema in base64, with a dictionary as the type of the exchange.
 * Readers of partitioned folders that use Arrow, pandas among them, take the names of folders for dictionaries. They fail
 * if the column of the same name is plain text.
 */
export function encodeArrowHint(columns: readonly ParquetColumn[]): string {
  const fields = columns.map((column) => ({
    name: column.name,
    type: toArrowType(column),
    nullable: !column.required,
    ...(column.name === 'exchange' && { dictionaryId: 0 }),
  }));
  return Buffer.from(encodeSchemaMessage({ fields })).toString('base64');
}

function toArrowType({ type, logicalType }: ParquetColumn): ArrowType {
  if (logicalType === 'timestamp') return { name: 'timestamp', unit: 'us', timezone: 'UTC' };
  if (type === PhysicalType.boolean) return { name: 'bool' };
  if (type === PhysicalType.double) return { name: 'double' };
  if (type === PhysicalType.int64) return { name: 'int', bits: 64, isSigned: true };
  return { name: 'utf8' };
}
