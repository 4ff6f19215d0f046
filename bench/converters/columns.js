import { basename, join } from 'node:path';

/** Columns without numbers, with their kinds; all others are doubles. */
const KINDS = {
  exchange: 'text',
  symbol: 'text',
  timestamp: 'time',
  local_timestamp: 'time',
  funding_timestamp: 'time',
  expiration: 'time',
  id: 'text',
  side: 'text',
  type: 'text',
  underlying_index: 'text',
  is_snapshot: 'boolean',
};

/** The columns of a day file by its header, each with its kind: input of every peer. */
export function columnsOf(header) {
  return header
    .trim()
    .split(',')
    .map((name) => ({ name, kind: KINDS[name] ?? 'number' }));
}

/** Reads the arguments of a peer's process: the output's folder, the header, the sources. */
export function task() {
  const [folder, header, ...sources] = process.argv.slice(2);
  const files = sources.map((source) => {
    const name = basename(source, '.csv.gz');
    return { source, target: join(folder, name) };
  });
  return { columns: columnsOf(header), files };
}
