import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { tickhaul } from '../../helpers/cli.js';
import { nightlyTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { listen } from '../../service/loopback.js';

const SYMBOLS = 270_000;
const EXPORTED_UNTIL = '2024-03-10T00:00:00.000Z';

nightlyTest(
  'plans a record of 270,000 symbols in a heap of 200 MB, from the service and from the cache',
  async (t) => {
    const dir = await tempDir(t);
    const body = largeRecord();
    let asked = 0;
    const server = createServer((_request, response) => {
      asked++;
      response.end(body);
    });
    const env = {
      TICKHAUL_API_URL: await listen(t, server),
      XDG_CACHE_HOME: `${dir}/.cache`,
      NODE_OPTIONS: '--max-old-space-size=200',
    };
    // The cached record is read completely too, but only a part of it is planned.
    for (const [symbols, count] of [
      ['all', SYMBOLS],
      ['BTC-1JAN24-*', Math.ceil(SYMBOLS / 28)],
    ] as const) {
      const args = ['plan', 'deribit', '-t', 'trades', '-s', symbols, '--date', '2024-03-01', '-o', dir];
      const { exitCode, stdout, stderr } = await tickhaul(args, { env });
      assert.equal(exitCode, 0, `${symbols} ${stderr}`);
      assert.ok(stderr.includes(`${count} files: ${count} download\nsize unknown`), stderr);
      // A heading, and one line per symbol.
      assert.equal(stdout.split('\n').length, count + 2);
    }
    assert.equal(asked, 1);
  },
);

/** About 90 MB, like the largest record: it has each symbol twice. */
function largeRecord(): Buffer {
  const listed = Array.from({ length: SYMBOLS }, (_, at) => ({
    id: `BTC-${1 + (at % 28)}JAN24-${at}-${at % 2 ? 'C' : 'P'}`,
    type: 'option',
    availableSince: new Date(Date.UTC(2020, 0, 1 + (at % 1500))).toISOString(),
    availableTo: EXPORTED_UNTIL,
  }));
  const dataTypes = ['trades', 'incremental_book_L2', 'quotes', 'book_snapshot_5', 'book_snapshot_25'];
  const symbols = listed.map((symbol) => ({ ...symbol, dataTypes }));
  const datasets = { exportedFrom: '2019-03-30T00:00:00.000Z', exportedUntil: EXPORTED_UNTIL, symbols };
  return Buffer.from(
    JSON.stringify({ id: 'deribit', supportsDatasets: true, availableSymbols: listed, datasets }),
  );
}
