import { parseDay } from '../../dataset/day.js';
import { readCount, readDay, readDuration, readList, readSize, readText, readToggle } from '../read.js';
import type { Cli, Command } from '../types.js';

const value = { type: 'string', requiresArg: true, group: 'Service:' } as const;

export const sandbox: Command = {
  syntax: 'sandbox',
  describe: 'run an embedded service on loopback with made-up market data',
  flags: {
    port: { ...value, describe: 'port of the metadata host; the next ones follow (default: any free ones)' },
    latency: { ...value, describe: 'time before each answer (default: 0ms)' },
    rate: { ...value, describe: 'bytes a second of each answer, as 20MB (default: no limit)' },
    rows: { ...value, describe: 'rows of each day file (default: 2000)' },
    seed: { ...value, describe: 'the same seed makes the same bytes (default: 1)' },
    'exported-until': {
      ...value,
      describe: 'the first UTC day that is not exported (default: as the real one)',
    },
    fault: { ...value, describe: 'what goes wrong and how often, as rate-limit=0.1,reset=0.05' },
    redirect: { type: 'boolean', group: 'Service:', describe: 'answer with redirects to a second origin' },
    'replay-dir': { ...value, describe: 'serve the day files of a folder in place of made-up ones' },
  },
  examples: [
    ['$0 sandbox --port 8123', 'prints the environment lines to use it with'],
    ['$0 sandbox --fault 503=0.1,reset=0.1,truncate=0.05 --latency 50ms', 'a service in bad shape'],
  ],
  async run(args, cli) {
    const { parseFaults } = await import('../../sandbox/faults.js');
    const { startSandbox } = await import('../../sandbox/server.js');
    const faults = readList(args, 'fault');
    const exportedUntil = readDay(args, 'exported-until');
    const service = await startSandbox({
      port: readCount(args, 'port', 0, 65_533),
      latencyMs: readDuration(args, 'latency'),
      rate: readSize(args, 'rate'),
      rows: readCount(args, 'rows', 0),
      seed: readCount(args, 'seed', 0),
      exportedUntil: exportedUntil === undefined ? undefined : parseDay(exportedUntil),
      faults: faults === undefined ? undefined : parseFaults(faults),
      redirect: readToggle(args, 'redirect'),
      replayDir: readText(args, 'replay-dir'),
      onRequest: readToggle(args, 'verbose')
        ? ({ method, url, status }) => cli.stderr.write(`${method} ${url} ${status}\n`)
        : undefined,
    });
    cli.stdout.write(
      [
        `export TICKHAUL_API_URL=${service.apiUrl}`,
        `export TICKHAUL_DATASETS_URL=${service.datasetsUrl}`,
        `export TICKHAUL_API_KEY=${service.apiKey}`,
        '',
      ].join('\n'),
    );
    if (!readToggle(args, 'quiet')) cli.stderr.write('Ctrl-C ends it\n');
    await aborted(cli);
    await service.close();
    // A signal is the way to end it, so it is no failure.
    return 0;
  },
};

function aborted({ signal }: Cli): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
