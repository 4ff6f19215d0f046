import { computedColumns } from '../../convert/computed/computed-rows.js';
import { type Column, dataTypeColumns, LEADING_COLUMNS } from '../../day-files/data-types.js';
import { parseNormalizedName } from '../../market/names/message-type-name.js';

/** The columns of a data type or computed type; the leading columns if the type is unknown. */
export function findViewColumns(type: string): readonly Column[] {
  const computed = parseNormalizedName(type);
  const isComputed = computed !== undefined && computed.kind !== 'source';
  return dataTypeColumns(type) ?? (isComputed ? computedColumns(computed) : LEADING_COLUMNS);
}
