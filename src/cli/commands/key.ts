import { TickhaulError } from '../../base/errors.js';
import { redactSecret } from '../../base/secrets.js';
import { toOneLine } from '../../base/text.js';
import { plural } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import { groupOptions } from '../../options/option-definition.js';
import { fetchKeyInfo, formatKeyForLog, type KeyAccess } from '../../service/key-coverage.js';
import { defineCommand } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';
import { withOutputContext } from '../run-command.js';
import { TIMEOUT_OPTION, withinTimeout } from '../with-account.js';

/** Above this number, symbols are only counted; `--json` lists them all. */
const MAX_LISTED_SYMBOLS = 10;
const MAX_CELL_CHARACTERS = 200;

const OPTIONS = groupOptions('Key:', { timeout: TIMEOUT_OPTION });

export const keyCommand = defineCommand(OPTIONS, {
  examples: [['$0 key', 'exchanges, symbols, days and plan of the key in TICKHAUL_API_KEY']],
  async run(options, cli) {
    return withinTimeout(options.timeoutMs, cli, 'key', (timed) =>
      withOutputContext({ ...options, stallTimeoutMs: 30_000 }, timed, async (context) => {
        const client = await context.client();
        const { apiKey } = client.config;
        if (apiKey === undefined) {
          throw new TickhaulError('bad_key', 'no API key is set; set TICKHAUL_API_KEY');
        }
        const redactedKey = formatKeyForLog(apiKey);
        const access = await fetchKeyInfo(client, { signal: timed.signal });
        const document = { key: redactedKey, expired: access.length === 0, access };
        await cli.output.result({
          json: () => redactSecret(toJsonLine(document), apiKey),
          text: async () =>
            redactSecret(await formatAccess(redactedKey, access, textColumns(cli.stdout)), apiKey),
        });
        if (access.length > 0) return 0;
        throw new TickhaulError('bad_key', `the API key ${redactedKey} has expired; renew it or set another`);
      }),
    );
  },
});

async function formatAccess(
  redactedKey: string,
  access: readonly KeyAccess[],
  columns: number,
): Promise<string> {
  if (access.length === 0) return '';
  const { formatTable } = await import('../output/text/table.js');
  const table = formatTable(
    [
      { title: 'exchange', cell: ({ exchange }) => formatCell(exchange) },
      { title: 'type', cell: ({ accessType }) => formatCell(accessType) },
      { title: 'plan', cell: ({ dataPlan }) => formatCell(dataPlan) },
      { title: 'from', cell: ({ from }) => formatCell(from).slice(0, 'YYYY-MM-DD'.length) },
      { title: 'to', cell: ({ to }) => formatCell(to).slice(0, 'YYYY-MM-DD'.length) },
      { title: 'symbols', breaks: true, cell: ({ symbols }) => formatSymbols(symbols ?? []) },
    ],
    access,
    columns,
  );
  return `API key ${redactedKey}\n${table}`;
}

function formatSymbols(symbols: readonly string[]): string {
  if (symbols.length === 0) return 'all';
  return symbols.length > MAX_LISTED_SYMBOLS
    ? plural(symbols.length, 'symbol')
    : formatCell(symbols.join(', '));
}

function formatCell(text: string | null | undefined): string {
  return toOneLine(text ?? '', MAX_CELL_CHARACTERS);
}
