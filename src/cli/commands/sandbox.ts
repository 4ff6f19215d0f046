import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { abortReason, isSystemError, usageError } from '../../base/errors.js';
import { waitForAbort } from '../../base/wait.js';
import { parseDay } from '../../day-files/day.js';
import { withoutKeys } from '../../operations/settings.js';
import { groupOptions } from '../../options/option-definition.js';
import {
  DATA_FAULTS,
  FAULT_KINDS,
  FEED_FAULTS,
  parseFaults,
  parseShares,
} from '../../sandbox/hosts/sandbox-faults.js';
import type { Sandbox } from '../../sandbox/sandbox-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { printFailure } from '../report-failure.js';

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

/** Variables that make commands use the embedded service. */
function sandboxVariables(service: Sandbox): Readonly<Record<string, string>> {
  return {
    TICKHAUL_API_URL: service.apiUrl,
    TICKHAUL_DATASETS_URL: service.datasetsUrl,
    TICKHAUL_AUTH_URL: service.issuerUrl,
    TICKHAUL_API_KEY: service.apiKey,
  };
}

/**
 * An environment for commands that use the embedded service, without the user's keys and without a proxy for
 * it.
 */
export function sandboxEnvironment(service: Sandbox, env: CliHost['env']): CliHost['env'] {
  const noProxy = [env['no_proxy'] || env['NO_PROXY'], '127.0.0.1'].filter(Boolean).join(',');
  return { ...withoutKeys(env), no_proxy: noProxy, NO_PROXY: noProxy, ...sandboxVariables(service) };
}

/** Exit codes of shells for a command that does not exist or is not executable. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/**
 * Runs a command in place of this process: with its terminal or pipes, forwarding its signals.
 * @param words the program and its arguments, without a shell.
 * @throws the reason of an abort before the start.
 * @returns the exit code like a shell: 128 plus the signal's number if a signal ended the command.
 */
async function runChild(words: readonly string[], env: CliHost['env'], cli: CliHost): Promise<number> {
  if (cli.signal.aborted) throw abortReason(cli.signal);
  const [program = '', ...rest] = words;
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: 'inherit', env });
    cli.passSignals((name) => child.kill(name));
    child.on('error', (error) => {
      // The child is running; only a signal could not be sent to it.
      if (child.pid !== undefined) return;
      const isMissing = isSystemError(error) && error.code === 'ENOENT';
      const problem = isMissing ? 'no such command' : `cannot run the command: ${error.message}`;
      printFailure(usageError(`${program}: ${problem}`), cli.stderr);
      resolve(isMissing ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
