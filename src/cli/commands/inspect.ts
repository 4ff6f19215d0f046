import {
  assertFileLocation,
  readBooleanFlag,
  readDataType,
  readLocations,
} from '../../commands/arguments/read-arguments.js';
import { readStoreSettings } from '../../commands/with-destination.js';
import type { Cell, Inspection } from '../../inspect/inspect-file.js';
import type { CommandAction } from '../arguments/command.js';
import { STORE_FLAGS } from '../arguments/folder-flags.js';
import { formatInspection } from '../output/format-inspection.js';
import { formatDocument } from '../output/text/format-document.js';
import { withStoreRequests } from '../session.js';

export const inspectCommand: CommandAction = {
  positionals: {
    file: { type: 'string', describe: 'one file, or s3://bucket/key; .ndjson may be compressed: .gz, .zst' },
  },
  flags: {
    type: {
      type: 'string',
      requiresArg: true,
      describe: 'data type of a CSV (default: from the file name, else the header)',
      group: 'Inspection:',
    },
    ...STORE_FLAGS,
  },
  examples: [
    ['$0 inspect deribit_trades_2024-03-01_SPOT.csv.gz', 'rows, columns, gaps, first and last rows'],
    ['$0 inspect day.parquet --json | jq .rows', 'one JSON document'],
  ],
  async run(args, cli) {
    const { inspectFile } = await import('../../inspect/inspect-file.js');
    const [named = ''] = readLocations(args, 'file');
    const path = assertFileLocation(named, named);
    const dataType = readDataType(args, 'type');
    const reached = await readStoreSettings(args, cli, [path]);
    const store = reached && { ...reached, ...PATIENCE };
    const inspection = await withStoreRequests(args, cli, () =>
      inspectFile({ path, dataType, store, signal: cli.signal }),
    );
    const text = readBooleanFlag(args, 'json')
      ? formatDocument(documentOf(inspection), false)
      : formatInspection(inspection, cli.stdout);
    cli.stdout.write(text);
    return 0;
  },
};

/** Of one who sits before it, and can ask again. */
const PATIENCE = { maxAttempts: 3, stallTimeoutMs: 15_000 };

/** Rows as objects; times stay integer microseconds. */
function documentOf({ first, last, ...rest }: Inspection): object {
  const objects = (rows: readonly (readonly Cell[])[]): object[] =>
    rows.map((row) => Object.fromEntries(rest.columns.map(({ name }, i) => [name, row[i] ?? null])));
  return { ...rest, first: objects(first), last: objects(last) };
}
