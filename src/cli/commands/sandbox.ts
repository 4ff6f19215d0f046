import { usageError } from '../../base/errors.js';
import { waitForAbort } from '../../base/wait.js';
import { parseDay } from '../../day-files/day.js';
import { groupOptions } from '../../options/option-definition.js';
import {
  DATA_FAULTS,
  FAULT_KINDS,
  FEED_FAULTS,
  parseFaults,
  parseShares,
} from '../../sandbox/hosts/sandbox-faults.js';
import { defineCommand } from '../arguments/define-flags.js';
import { runChild, sandboxEnvironment, sandboxVariables } from '../sandbox-environment.js';

const OPTIONS = {
  command: {
    type: 'texts',
    description: 'command to run in the environment of the service, after --; the service ends with it',
    positional: true,
  },
  ...groupOptions('Service:', {
    port: {
      type: 'count',
      description: 'port of the metadata host; the other hosts use the next ports',
      defaultText: 'any free ports',
      max: 65_532,
    },
    latency: { type: 'timer', description: 'delay before each response', defaultText: '0ms' },
    rate: {
      type: 'size',
      description: 'bytes per second of each response, such as 20MB',
      defaultText: 'no limit',
    },
    rows: {
      type: 'count',
      description: 'rows per day file (default: 2000); quotes and snapshots have fewer',
    },
    seed: {
      type: 'count',
      description: 'seed of the generated data; the same seed creates the same bytes',
      defaultText: '1',
    },
    'exported-until': {
      type: 'single-day',
      description: 'first UTC day that is not exported',
      defaultText: 'as in the real service',
    },
    fault: {
      type: 'list',
      description: `faults with their probabilities, such as reset=0.05: ${FAULT_KINDS.join(', ')}; of the market data: ${DATA_FAULTS.join(', ')}`,
      settingName: 'faults',
    },
    redirect: {
      type: 'flag',
      description: 'redirect each day file to another host, like a service with an object store',
    },
  }),
  ...groupOptions('Account:', {
    'claim-lifetime': { type: 'duration', description: 'time limit of a sign-in', defaultText: '1h' },
    'code-lifetime': { type: 'duration', description: 'lifetime of link and code', defaultText: '10m' },
    'assertion-lifetime': {
      type: 'duration',
      description: 'lifetime of an identity assertion',
      defaultText: '1h',
    },
    'refresh-lifetime': {
      type: 'duration',
      description: 'lifetime of a refresh token',
      defaultText: '30d',
    },
    'token-lifetime': {
      type: 'duration',
      description: 'lifetime of an access token',
      defaultText: '10m',
    },
    'auth-fault': {
      type: 'list',
      description:
        'faults by step with their probabilities, such as complete:claim_denied=1,token:500=0.5; see tickhaul help faults',
      settingName: 'authFaults',
    },
    'auth-fault-limit': {
      type: 'count',
      description: 'maximum number of faults per step',
      defaultText: 'no limit',
    },
    organizations: {
      type: 'list',
      description: "the user's organizations, such as One,Two; the page asks to choose one",
      defaultText: 'none',
    },
  }),
  ...groupOptions('Service:', {
    'feed-fault': {
      type: 'list',
      description: `faults of raw data slices; in addition to those of files: ${FEED_FAULTS.filter((kind) => !FAULT_KINDS.some((known) => known === kind)).join(', ')}`,
      settingName: 'feedFaults',
    },
    'request-limit': {
      type: 'count',
      description: 'requests per minute for raw data',
      min: 1,
      defaultText: '3000',
    },
    'replay-dir': {
      type: 'folder',
      description:
        'serve the day files of a folder, and raw data slices in its feeds folder, instead of generated ones',
    },
  }),
} as const;

export const sandboxCommand = defineCommand(OPTIONS, {
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
  async run(options, cli) {
    const { startSandbox } = await import('../../sandbox/start-sandbox.js');
    const { parseStepFaults } = await import('../../sandbox/issuer/issuer-steps.js');
    const { command = [], faults, feedFaults, authFaults, exportedUntil } = options;
    if (command[0] === '') throw usageError('<command> is empty; specify the command after --');
    const service = await startSandbox({
      port: options.port,
      latencyMs: options.latencyMs,
      rate: options.rate,
      rows: options.rows,
      seed: options.seed,
      exportedUntil: exportedUntil === undefined ? undefined : parseDay(exportedUntil),
      faults: faults === undefined ? undefined : parseFaults(faults),
      redirect: options.redirect,
      feeds: {
        faults: feedFaults === undefined ? undefined : parseShares(feedFaults, FEED_FAULTS),
        requestLimit: options.requestLimit,
      },
      replayDir: options.replayDir,
      issuer: {
        lifetimes: {
          claim: options.claimLifetimeMs,
          code: options.codeLifetimeMs,
          assertion: options.assertionLifetimeMs,
          refresh: options.refreshLifetimeMs,
          token: options.tokenLifetimeMs,
        },
        faults: authFaults === undefined ? undefined : parseStepFaults(authFaults),
        faultsPerStep: options.authFaultLimit,
        organizations: options.organizations,
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
});
