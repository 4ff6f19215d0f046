import type { Column } from '../../dataset/data-types.js';
import type { Schema } from '../batch.js';
import type { OutputOptions } from '../output-options.js';
import type { ArrowSchema, ArrowType } from './arrow-schema.js';

export type ArrowColumnOptions = Pick<OutputOptions, 'times' | 'numbers'>;

/** Microseconds since the epoch, UTC. */
export const TIME_TYPE = { name: 'timestamp', unit: 'us', timezone: 'UTC' } as const satisfies ArrowType;

const LONG_TYPE = { name: 'int', bits: 64, isSigned: true } as const satisfies ArrowType;

/** The fields of a file's columns, with the types of docs/spec/arrow-mapping.md#types. */
export function toArrowSchema(schema: Schema, options: ArrowColumnOptions): ArrowSchema {
  return {
    fields: schema.map((column) => ({
      name: column.name,
      type: toArrowType(column, options),
      nullable: true,
    })),
  };
}

function toArrowType({ kind }: Column, { times, numbers }: ArrowColumnOptions): ArrowType {
  switch (kind) {
    case 'time':
      return times === 'int' ? LONG_TYPE : TIME_TYPE;
    case 'integer':
      return LONG_TYPE;
    case 'boolean':
      return { name: 'bool' };
    case 'number':
      return { name: numbers === 'string' ? 'utf8' : 'double' };
    case 'text':
      return { name: 'utf8' };
  }
}
