import {
  readCount,
  readDay,
  readDuration,
  readList,
  readSize,
  readText,
  readToggle,
} from '../../commands/arguments/read.js';
import { parseDay } from '../../dataset/day.js';
import { FEED_FAULTS } from '../../sandbox/feeds/faults.js';
import { FAULT_KINDS, parseFaults, parseShares } from '../../sandbox/http/faults.js';
import type { Action, Cli } from '../arguments/types.js';

const value = { type: 'string', requiresArg: true, group: 'Service:' } as const;
const account = { ...value, group: 'Account:' } as const;

export const sandbox: Action = {
  flags: {
    port: { ...value, describe: 'port of the metadata host; the next ones follow (default: any free ones)' },
    latency: { ...value, describe: 'time before each answer (default: 0ms)' },
    rate: { ...value, describe: 'bytes a second of each answer, as 20MB (default: no limit)' },
    rows: {
      ...value,
      describe: 'rows of each day file (default: 2000); quotes and snapshots have fewer',
    },
    seed: { ...value, describe: 'the same seed makes the same bytes (default: 1)' },
    'exported-until': {
      ...value,
      describe: 'the first UTC day that is not exported (default: as the real one)',
    },
    fault: { ...value, describe: `what goes wrong and how often, as reset=0.05: ${FAULT_KINDS.join(', ')}` },
    redirect: { type: 'boolean', group: 'Service:', describe: 'answer with redirects to a second origin' },
    'claim-lifetime': { ...account, describe: 'from registration to completion (default: 1h)' },
    'code-lifetime': { ...account, describe: 'of a claim link and its code (default: 10m)' },
    'assertion-lifetime': { ...account, describe: 'of an identity assertion (default: 1h)' },
    'refresh-lifetime': { ...account, describe: 'of a refresh token (default: 30d)' },
    'token-lifetime': { ...account, describe: 'of an access token (default: 10m)' },
    'auth-fault': {
      ...account,
      describe:
        'what goes wrong at which step and how often, as complete:claim_denied=1,token:500=0.5; docs/sandbox.md has the list',
    },
    'auth-fault-limit': { ...account, describe: 'at most so many faults of each step (default: no limit)' },
    organizations: {
      ...account,
      describe: 'of the user, as One,Two: one must be chosen on the claim page (default: none)',
    },
    'feed-fault': {
      ...value,
      describe: `the same for slices of raw data; beside those of files: ${FEED_FAULTS.filter((kind) => !FAULT_KINDS.some((known) => known === kind)).join(', ')}`,
    },
    'request-limit': { ...value, describe: 'requests a minute that raw data bears (default: 3000)' },
    'replay-dir': {
      ...value,
      describe:
        "serve a folder's day files, and slices of raw data below its feeds, in place of made-up ones",
    },
  },
  examples: [
    ['$0 sandbox --port 8123', 'prints the environment lines to use it with'],
    ['$0 sandbox --token-lifetime 5s --auth-fault token:503=0.3', 'an account that is hard to keep open'],
    ['$0 sandbox --fault 503=0.1,reset=0.1,truncate=0.05 --latency 50ms', 'a service in bad shape'],
  ],
  async run(args, cli) {
    const { startSandbox } = await import('../../sandbox/server.js');
    const { parseStepFaults } = await import('../../sandbox/issuer/step-faults.js');
    const authFaults = readList(args, 'auth-fault');
    const faults = readList(args, 'fault');
    const feedFaults = readList(args, 'feed-fault');
    const exportedUntil = readDay(args, 'exported-until');
    const service = await startSandbox({
      port: readCount(args, 'port', 0, 65_532),
      latencyMs: readDuration(args, 'latency'),
      rate: readSize(args, 'rate'),
      rows: readCount(args, 'rows', 0),
      seed: readCount(args, 'seed', 0),
      exportedUntil: exportedUntil === undefined ? undefined : parseDay(exportedUntil),
      faults: faults === undefined ? undefined : parseFaults(faults),
      redirect: readToggle(args, 'redirect'),
      feeds: {
        faults: feedFaults === undefined ? undefined : parseShares(feedFaults, FEED_FAULTS),
        requestLimit: readCount(args, 'request-limit', 1),
      },
      replayDir: readText(args, 'replay-dir'),
      issuer: {
        lifetimes: {
          claim: readDuration(args, 'claim-lifetime'),
          code: readDuration(args, 'code-lifetime'),
          assertion: readDuration(args, 'assertion-lifetime'),
          refresh: readDuration(args, 'refresh-lifetime'),
          token: readDuration(args, 'token-lifetime'),
        },
        faults: authFaults === undefined ? undefined : parseStepFaults(authFaults),
        faultsPerStep: readCount(args, 'auth-fault-limit', 0),
        organizations: readList(args, 'organizations'),
      },
      onRequest: readToggle(args, 'verbose')
        ? ({ method, url, status }) => cli.stderr.write(`${method} ${url} ${status}\n`)
        : undefined,
    });
    cli.stdout.write(
      [
        `export TICKHAUL_API_URL=${service.apiUrl}`,
        `export TICKHAUL_DATASETS_URL=${service.datasetsUrl}`,
        `export TICKHAUL_AUTH_URL=${service.issuerUrl}`,
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
