import {
  type Cell,
  INSPECTED_EXTENSIONS,
  type Inspection,
  inspectFile,
} from '../../describe/inspect-file.js';
import { toJsonLine } from '../../events/json-events.js';
import { groupOptions } from '../../options/option-definition.js';
import { STORE_OPTIONS } from '../../options/service-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { formatInspection } from '../output/format-inspection.js';
import { withOutputContext } from '../run-command.js';

const OPTIONS = {
  file: {
    type: 'file',
    description: `file, or s3://bucket/key: ${INSPECTED_EXTENSIONS.join(', ')}`,
    remote: true,
    positional: true,
    required: true,
  },
  ...groupOptions('Inspection:', {
    type: {
      type: 'data-type',
      description: 'data type of a CSV file',
      defaultText: 'from the file name, otherwise the header',
    },
  }),
  ...STORE_OPTIONS,
} as const;

export const inspectCommand = defineCommand(OPTIONS, {
  examples: [
    ['$0 inspect deribit_trades_2024-03-01_SPOT.csv.gz', 'show rows, columns, gaps, first and last rows'],
    ['$0 inspect day.parquet --json | jq .rows', 'print one JSON document'],
  ],
  async run(options, cli) {
    const { file: path = '', type: dataType } = options;
    const inspection = await withOutputContext(options, cli, async (context) => {
      const settings = await context.storeOf([path]);
      const store = settings && { ...settings, ...INTERACTIVE_RETRIES };
      return inspectFile({ path, dataType, store, signal: cli.signal });
    });
    await cli.output.result({
      json: () => toJsonLine(toDocument(inspection)),
      text: () => formatInspection(inspection, cli.stdout),
    });
    return 0;
  },
});

/** Retries of an interactive command: the user can run it again. */
const INTERACTIVE_RETRIES = { maxAttempts: 3, stallTimeoutMs: 15_000 };

/** Converts rows to objects; times stay integers in microseconds. */
function toDocument({ first, last, ...rest }: Inspection): object {
  const objects = (rows: readonly (readonly Cell[])[]): object[] =>
    rows.map((row) => Object.fromEntries(rest.columns.map(({ name }, i) => [name, row[i] ?? null])));
  return { ...rest, first: objects(first), last: objects(last) };
}
