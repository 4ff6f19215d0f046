import { usageError } from '../../base/errors.js';
import { waitForAbort } from '../../base/wait.js';
import type { CommandArgs } from '../../commands/arguments/command-args.js';
import {
  readBooleanFlag,
  readCount,
  readDay,
  readDuration,
  readListFlag,
  readSize,
  readTextFlag,
  readTimerMs,
} from '../../commands/arguments/read-arguments.js';
import { parseDay } from '../../dataset/day.js';
import { FEED_FAULTS } from '../../sandbox/feeds/feed-faults.js';
import { FAULT_KINDS, parseFaults, parseShares } from '../../sandbox/http/fault-kinds.js';
import type { CommandAction } from '../arguments/command.js';
import { runChild } from '../run-child.js';
import { sandboxEnvironment, sandboxVariables } from '../sandbox-environment.js';

const value = { type: 'string', requiresArg: true, group: 'Service:' } as const;
const account = { ...value, group: 'Account:' } as const;

export const sandboxCommand: CommandAction = {
  positionals: {
    command: {
      type: 'string',
      describe: 'what to run in the environment of the service, after --; the service ends with it',
    },
  },
  flags: {
    port: {
      ...value,
      describe: 'port of the metadata host; the other hosts have the next ones (default: any free ports)',
    },
    latency: { ...value, describe: 'time before each answer (default: 0ms)' },
    rate: { ...value, describe: 'bytes a second of each answer, as 20MB (default: no limit)' },
    rows: {
      ...value,
      describe: 'rows of each day file (default: 2000); quotes and snapshots have fewer',
    },
    seed: { ...value, describe: 'the same seed makes the same bytes (default: 1)' },
    'exported-until': {
      ...value,
      describe: 'the first UTC day that is not exported (default: as the real service has it)',
    },
    fault: { ...value, describe: `what goes wrong and how often, as reset=0.05: ${FAULT_KINDS.join(', ')}` },
    redirect: {
      type: 'boolean',
      group: 'Service:',
      describe: 'redirect each day file to another host, as a service with an object store does',
    },
    'claim-lifetime': { ...account, describe: 'how long a sign-in may take (default: 1h)' },
    'code-lifetime': { ...account, describe: 'how long its link and its code work (default: 10m)' },
    'assertion-lifetime': { ...account, describe: 'how long an identity assertion works (default: 1h)' },
    'refresh-lifetime': { ...account, describe: 'how long a refresh token works (default: 30d)' },
    'token-lifetime': { ...account, describe: 'how long an access token works (default: 10m)' },
    'auth-fault': {
      ...account,
      describe:
        'what goes wrong at which step and how often, as complete:claim_denied=1,token:500=0.5; docs/reference/sandbox.md has the list',
    },
    'auth-fault-limit': { ...account, describe: 'the most faults of each step (default: no limit)' },
    organizations: {
      ...account,
      describe: 'organizations of the user, as One,Two; the page asks for one of them (default: none)',
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
    ['$0 sandbox -- npm test', 'runs a command in its environment, and ends with its exit code'],
    ['$0 sandbox', 'prints the lines that set the environment, and runs till Ctrl-C'],
    ['$0 sandbox --token-lifetime 5s --auth-fault token:503=0.3', 'an account that is hard to keep open'],
    ['$0 sandbox --fault 503=0.1,reset=0.1,truncate=0.05 --latency 50ms', 'a service in bad shape'],
  ],
  async run(args, cli) {
    const { startSandbox } = await import('../../sandbox/sandbox-server.js');
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
      onRequest: readBooleanFlag(args, 'verbose')
        ? ({ method, url, status }) => cli.stderr.write(`${method} ${url} ${status}\n`)
        : undefined,
    });
    const isQuiet = readBooleanFlag(args, 'quiet');
    try {
      if (command.length > 0) {
        if (!isQuiet) cli.stderr.write(`the embedded service: ${service.apiUrl}\n`);
        return await runChild(command, sandboxEnvironment(service, cli.env), cli);
      }
      const lines = Object.entries(sandboxVariables(service)).map(
        ([name, text]) => `export ${name}=${text}\n`,
      );
      cli.stdout.write(lines.join(''));
      if (!isQuiet) cli.stderr.write('use these lines in another terminal; Ctrl-C ends the service\n');
      await waitForAbort(cli.signal);
      // A signal is the way to end it, so it is no failure.
      return 0;
    } finally {
      await service.close();
    }
  },
};

/** The words after `--`. @throws usage error for a name that no command has. */
function readCommand(args: CommandArgs): readonly string[] {
  const words = [args['command']]
    .flat()
    .filter((word) => word !== undefined)
    .map(String);
  if (words[0] === '') throw usageError('<command> is empty; name the command after --');
  return words;
}
