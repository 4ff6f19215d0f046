import type { ColumnKind } from '../../../src/day-files/data-types.js';
import type { Schema } from '../../../src/format/batch.js';

export interface LineOptions {
  readonly times: 'int' | 'iso';
  readonly numbers: 'double' | 'string';
}

/** Formats rows as NDJSON; reference implementation. */
export function referenceLines(
  rows: readonly (readonly Buffer[])[],
  schema: Schema,
  options: LineOptions,
): string {
  const line = (cells: readonly Buffer[]): string => {
    const members = schema.map(({ name, kind }, i) => {
      return `${JSON.stringify(name)}:${json(kind, (cells[i] ?? Buffer.alloc(0)).toString(), options)}`;
    });
    return `{${members.join(',')}}\n`;
  };
  return rows.map(line).join('');
}

function json(kind: ColumnKind, cell: string, { times, numbers }: LineOptions): string {
  if (cell === '') return 'null';
  if (kind === 'boolean') return cell;
  if (kind === 'text') return JSON.stringify(cell);
  if (kind === 'time') return times === 'iso' ? JSON.stringify(iso(BigInt(cell))) : String(BigInt(cell));
  if (numbers === 'string') return JSON.stringify(cell);
  // JSON allows no leading zeros; otherwise the CSV's text is kept.
  return cell.replace(/^(-?)0+(?=\d)/, '$1');
}

function iso(micros: bigint): string {
  const ofSecond = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = (micros - ofSecond) / 1_000_000n;
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${date}.${String(ofSecond).padStart(6, '0')}Z`;
}
