import { DOWNLOAD_FLAGS, SELECTION_FLAGS } from '../flags.js';
import { readToggle } from '../read.js';
import { readDownloadOptions, readSelection, readStallTimeout } from '../selection.js';
import { reportRun, withSession } from '../session.js';
import type { Command } from '../types.js';
import { plan } from './plan.js';

export const download: Command = {
  syntax: 'download <exchange>',
  describe: 'download day files in parallel, verify them and record them in the manifest',
  positionals: { exchange: { type: 'string', describe: 'exchange id, as tickhaul exchanges lists them' } },
  flags: {
    ...SELECTION_FLAGS,
    ...DOWNLOAD_FLAGS,
    'dry-run': { type: 'boolean', alias: 'n', describe: 'plan only', group: 'Download:' },
  },
  examples: [
    [
      '$0 download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01',
      'one file; first days of months need no key',
    ],
    [
      '$0 download binance -t trades,quotes -s "BTC*" --last 7d',
      'the last week, for every symbol of the glob',
    ],
    [
      '$0 download binance -t all -s @symbols.txt --from 2024-01-01 -o /data',
      'a list of symbols, up to the newest day',
    ],
  ],
  working: true,
  outlivesReader: true,
  async run(args, cli) {
    if (readToggle(args, 'dry-run')) return plan.run(args, cli);
    const selection = await readSelection(args);
    const stallTimeoutMs = readStallTimeout(args);
    return reportRun(args, cli, (reporter, emit) =>
      withSession(args, cli, { stallTimeoutMs, note: reporter.note }, async ({ client, settings }) => {
        const runModule = await import('../../download/run.js');
        return runModule.download({
          client,
          cache: settings.cacheDir,
          selection,
          options: readDownloadOptions(args, settings.downloadDir),
          owner: {
            pid: cli.pid,
            host: cli.host,
            command: cli.commandLine,
            now: Date.now(),
            isAlive: cli.isAlive,
          },
          emit,
          signal: cli.signal,
        });
      }),
    );
  },
};
