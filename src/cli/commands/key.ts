import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { readBooleanFlag } from '../../commands/arguments/read-arguments.js';
import { toOneLine } from '../../service/http/read-error-response.js';
import { formatKeyForLog } from '../../service/key/format-key-for-log.js';
import type { KeyAccess } from '../../service/key/key-access.js';
import type { CommandAction } from '../arguments/command.js';
import { formatDocument } from '../output/text/format-document.js';
import { textColumns } from '../output/text/screen.js';
import { withSession } from '../session.js';
import { TIMEOUT_FLAG, withinTimeout } from '../time-limit.js';

/** More symbols are counted; `--json` has them all. */
const MOST_LISTED = 10;
const MAX_CELL = 200;

export const keyCommand: CommandAction = {
  flags: { timeout: { ...TIMEOUT_FLAG, group: 'Key:' } },
  examples: [['$0 key', 'exchanges, symbols, days and plan of the key in TICKHAUL_API_KEY']],
  async run(args, cli) {
    return withinTimeout(args, cli, 'key', (timed) =>
      withSession(args, timed, { stallTimeoutMs: 30_000 }, async ({ client }) => {
        const { fetchKeyInfo } = await import('../../service/key/key-info.js');
        const { apiKey } = client.config;
        if (apiKey === undefined) {
          throw new TickhaulError('bad_key', 'there is no API key: set TICKHAUL_API_KEY');
        }
        const shown = formatKeyForLog(apiKey);
        const access = await fetchKeyInfo(client, { signal: timed.signal });
        const text = readBooleanFlag(args, 'json')
          ? formatDocument({ key: shown, expired: access.length === 0, access }, false)
          : await accessText(shown, access, textColumns(cli.stdout));
        cli.stdout.write(text.replaceAll(apiKey, '***'));
        if (access.length > 0) return 0;
        throw new TickhaulError('bad_key', `the API key ${shown} has expired: it gives access to nothing`);
      }),
    );
  },
};

async function accessText(shown: string, access: readonly KeyAccess[], columns: number): Promise<string> {
  if (access.length === 0) return '';
  const { formatTable } = await import('../output/text/table.js');
  const table = formatTable(
    [
      { title: 'exchange', cell: ({ exchange }) => cell(exchange) },
      { title: 'type', cell: ({ accessType }) => cell(accessType) },
      { title: 'plan', cell: ({ dataPlan }) => cell(dataPlan) },
      { title: 'from', cell: ({ from }) => cell(from).slice(0, 'YYYY-MM-DD'.length) },
      { title: 'to', cell: ({ to }) => cell(to).slice(0, 'YYYY-MM-DD'.length) },
      { title: 'symbols', breaks: true, cell: ({ symbols }) => symbolsText(symbols ?? []) },
    ],
    access,
    columns,
  );
  return `API key ${shown}\n${table}`;
}

function symbolsText(symbols: readonly string[]): string {
  if (symbols.length === 0) return 'all';
  return symbols.length > MOST_LISTED ? plural(symbols.length, 'symbol') : cell(symbols.join(', '));
}

function cell(text: string | null | undefined): string {
  return toOneLine(text ?? '', MAX_CELL);
}
