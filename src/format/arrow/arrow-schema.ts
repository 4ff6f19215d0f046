import type { Column } from '../../day-files/data-types.js';
import type { Schema } from '../batch.js';
import type { OutputOptions } from '../output-format.js';

/** Fields and metadata of Arrow data, independent of the columns of day files . */
export interface ArrowSchema {
  readonly fields: readonly ArrowField[];
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
  readonly nullable: boolean;
  /** Set for a column of values in a dictionary, by signed positions of 32 bits. */
  readonly dictionaryId?: number | undefined;
}

/** The types that tickhaul writes. */
export type ArrowType =
  | { readonly name: 'null' | 'bool' | 'double' | 'utf8' }
  | { readonly name: 'int'; readonly bits: 8 | 16 | 32 | 64; readonly isSigned: boolean }
  | { readonly name: 'timestamp'; readonly unit: ArrowTimeUnit; readonly timezone: string | undefined }
  | { readonly name: 'fixedSizeBinary'; readonly bytes: number }
  | { readonly name: 'list'; readonly item: ArrowField }
  | { readonly name: 'struct'; readonly fields: readonly ArrowField[] };

/** In the order of the format: the index is the unit's number. */
export const ARROW_TIME_UNITS = ['s', 'ms', 'us', 'ns'] as const;

export type ArrowTimeUnit = (typeof ARROW_TIME_UNITS)[number];

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
