import { usageError } from '../../base/errors.js';
import { waitForAbort } from '../../base/wait.js';
import { parseDay } from '../../day-files/day.js';
import type { CommandArgs } from '../../operations/arguments/command-args.js';
import {
  readBooleanFlag,
  readCount,
  readDay,
  readDuration,
  readListFlag,
  readSize,
  readTextFlag,
  readTimerMs,
} from '../../operations/arguments/read-arguments.js';
import { FEED_FAULTS } from '../../sandbox/feeds/feed-faults.js';
import { DATA_FAULTS, FAULT_KINDS, parseFaults, parseShares } from '../../sandbox/http/sandbox-faults.js';
import type { CommandAction } from '../arguments/command.js';
import { runChild } from '../run-child.js';
import { sandboxEnvironment, sandboxVariables } from '../sandbox-environment.js';

const value = { type: 'string', requiresArg: true, group: 'Service:' } as const;
const account = { ...value, group: 'Account:' } as const;

export const sandboxCommand: CommandAction = {
  positionals: {
    command: {
      type: 'string',
      describe: 'command to run in the environment of the service, after --; the service ends with it',
    },
  },
  flags: {
    port: {
      ...value,
      describe: 'port of the metadata host; the other hosts use the next ports (default: any free ports)',
    },
    latency: { ...value, describe: 'delay before each response (default: 0ms)' },
    rate: { ...value, describe: 'bytes per second of each response, such as 20MB (default: no limit)' },
    rows: {
      ...value,
      describe: 'rows per day file (default: 2000); quotes and snapshots have fewer',
    },
    seed: {
      ...value,
      describe: 'seed of the generated data; the same seed creates the same bytes (default: 1)',
    },
    'exported-until': {
      ...value,
      describe: 'first UTC day that is not exported (default: as in the real service)',
    },
    fault: {
      ...value,
      describe: `faults with their probabilities, such as reset=0.05: ${FAULT_KINDS.join(', ')}; of the market data: ${DATA_FAULTS.join(', ')}`,
    },
    redirect: {
      type: 'boolean',
      group: 'Service:',
      describe: 'redirect each day file to another host, like a service with an object store',
    },
    'claim-lifetime': { ...account, describe: 'time limit of a sign-in (default: 1h)' },
    'code-lifetime': { ...account, describe: 'lifetime of link and code (default: 10m)' },
    'assertion-lifetime': { ...account, describe: 'lifetime of an identity assertion (default: 1h)' },
    'refresh-lifetime': { ...account, describe: 'lifetime of a refresh token (default: 30d)' },
    'token-lifetime': { ...account, describe: 'lifetime of an access token (default: 10m)' },
    'auth-fault': {
      ...account,
      describe:
        'faults by step with their probabilities, such as complete:claim_denied=1,token:500=0.5; see docs/reference/sandbox.md',
    },
    'auth-fault-limit': { ...account, describe: 'maximum number of faults per step (default: no limit)' },
    organizations: {
      ...account,
      describe: "the user's organizations, such as One,Two; the page asks to choose one (default: none)",
    },
    'feed-fault': {
      ...value,
      describe: `faults of raw data slices; in addition to those of files: ${FEED_FAULTS.filter((kind) => !FAULT_KINDS.some((known) => known === kind)).join(', ')}`,
    },
    'request-limit': { ...value, describe: 'requests per minute for raw data (default: 3000)' },
    'replay-dir': {
      ...value,
      describe:
        'serve the day files of a folder, and raw data slices in its feeds folder, instead of generated ones',
    },
  },
  examples: [
    [
      '$0 sandbox -- npm test',
      'run a command in the environment of the service, and exit with its exit code',
    ],
    ['$0 sandbox', 'print the lines that set the environment, and run until Ctrl-C'],
    ['$0 sandbox --token-lifetime 5s --auth-fault token:503=0.3', 'an account whose session often breaks'],
    ['$0 sandbox --fault 503=0.1,reset=0.1,truncate=0.05 --latency 50ms', 'an unreliable service'],
    ['$0 sandbox --fault gap=0.1,crossed-book=0.1', 'one in five day files has gaps or crossed books'],
  ],
  async run(args, cli) {
    const { startSandbox } = await import('../../sandbox/start-sandbox.js');
    const { parseStepFaults } = await import('../../sandbox/issuer/step-faults.js');
    const command = readCommand(args);
    const authFaults = readListFlag(args, 'auth-fault');
    const faults = readListFlag(args, 'fault');
    const feedFaults = readListFlag(args, 'feed-fault');
    const exportedUntil = readDay(args, 'exported-until');
    const service = await startSandbox({
      port: readCount(args, 'port', 0, 65_532),
      latencyMs: readTimerMs(args, 'latency'),
      rate: readSize(args, 'rate'),
      rows: readCount(args, 'rows', 0),
      seed: readCount(args, 'seed', 0),
      exportedUntil: exportedUntil === undefined ? undefined : parseDay(exportedUntil),
      faults: faults === undefined ? undefined : parseFaults(faults),
      redirect: readBooleanFlag(args, 'redirect'),
      feeds: {
        faults: feedFaults === undefined ? undefined : parseShares(feedFaults, FEED_FAULTS),
        requestLimit: readCount(args, 'request-limit', 1),
      },
      replayDir: readTextFlag(args, 'replay-dir'),
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
        organizations: readListFlag(args, 'organizations'),
      },
      onRequest: ({ method, url, status }) => cli.output.request(`${method} ${url} ${status}`),
    });
    const isQuiet = cli.output.quiet;
    try {
      if (command.length > 0) {
        if (!isQuiet) cli.stderr.write(`embedded service: ${service.apiUrl}\n`);
        return await runChild(command, sandboxEnvironment(service, cli.env), cli);
      }
      const lines = Object.entries(sandboxVariables(service)).map(
        ([name, text]) => `export ${name}=${text}\n`,
      );
      cli.stdout.write(lines.join(''));
      if (!isQuiet) cli.stderr.write('run these lines in another terminal; Ctrl-C ends the service\n');
      await waitForAbort(cli.signal);
      // A signal is the normal end of the service.
      return 0;
    } finally {
      await service.close();
    }
  },
};

/** The words after `--`. @throws usage error for an empty command name. */
function readCommand(args: CommandArgs): readonly string[] {
  const words = [args['command']]
    .flat()
    .filter((word) => word !== undefined)
    .map(String);
  if (words[0] === '') throw usageError('<command> is empty; specify the command after --');
  return words;
}
