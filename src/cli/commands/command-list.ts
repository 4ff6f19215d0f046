import { OUTPUT_FORMAT_LIST } from '../../base/output-format-names.js';
import { joinWithOr } from '../../base/units.js';
import { EXPORT_TARGET_NAMES } from '../../options/export-options.js';
import type { CommandOutline, HelpTopics } from '../arguments/command.js';
import { HELP } from '../arguments/define-flags.js';

const CONFIGURATION = 'docs/reference/configuration.md';

/** The topics of `help <topic>`, in the order in which they are listed. */
export const HELP_TOPICS: HelpTopics = {
  'exit-codes': {
    describe: 'what each exit code means, and what to do',
    page: 'docs/reference/exit-codes.md',
  },
  environment: {
    describe: 'environment variables and proxies',
    page: CONFIGURATION,
    sections: ['Environment', 'Proxies'],
  },
  selection: {
    describe: 'which day files a command works on',
    page: 'docs/reference/selection.md',
  },
  formats: {
    describe: 'Parquet, NDJSON, CSV and Arrow: columns, flags, readers',
    page: 'docs/reference/convert.md',
    sections: [
      'What a column becomes',
      'Flags',
      'One file of all days and symbols',
      'Readers of Parquet',
      'zstd and NDJSON',
      'CSV',
      'Arrow',
    ],
  },
  configuration: {
    describe: 'the config file, the API key and tab completion',
    page: CONFIGURATION,
    sections: ['API key', 'Config file', 'Tab completion'],
  },
  'audit-checks': {
    describe: 'the checks of audit, each with an example of the fault',
    page: 'docs/reference/audit-checks.md',
  },
  faults: {
    describe: 'the faults that sandbox can have',
    page: 'docs/reference/sandbox.md',
    sections: ['Raw data', 'Faults'],
  },
};

/**
 * All commands, in the order of the help text. Code is loaded on demand: loading dominates the time of short
 * runs.
 */
export const COMMANDS: readonly CommandOutline[] = [
  {
    syntax: 'exchanges [exchange]',
    describe: 'list the exchanges, or show the record of one exchange',
    group: 'Find',
    load: async () => (await import('./exchanges.js')).exchangesCommand,
  },
  {
    syntax: 'symbols [exchange] [glob..]',
    describe: 'list symbols of one or all exchanges, with data types and days',
    group: 'Find',
    load: async () => (await import('./symbols.js')).symbolsCommand,
  },
  {
    syntax: 'instruments <exchange> [symbol]',
    describe: "list an exchange's instruments with their metadata, or show one",
    group: 'Find',
    load: async () => (await import('./instruments.js')).instrumentsCommand,
  },
  {
    syntax: 'status <exchange>',
    describe: 'show the exported days, or wait for a day',
    group: 'Find',
    load: async () => (await import('./status.js')).statusCommand,
  },
  {
    syntax: 'plan [exchange]',
    describe: 'show what download would do with the same flags',
    group: 'Get',
    printsEvents: true,
    load: async () => (await import('./plan.js')).planCommand,
  },
  {
    syntax: 'download [exchange]',
    describe: 'download day files in parallel, verify and record them',
    group: 'Get',
    printsEvents: true,
    outlivesReader: true,
    load: async () => (await import('./download.js')).downloadCommand,
  },
  {
    syntax: 'sync',
    describe: 'download what the jobs of a config file lack; for a nightly run',
    group: 'Get',
    printsEvents: true,
    outlivesReader: true,
    load: async () => (await import('./sync.js')).syncCommand,
  },
  {
    syntax: 'enqueue [exchange]',
    describe: 'queue the slices of a download for many machines',
    group: 'Many machines',
    printsEvents: true,
    load: async () => (await import('./enqueue.js')).enqueueCommand,
  },
  {
    syntax: 'worker',
    describe: 'download slices from the queue; run it on each machine',
    group: 'Many machines',
    printsEvents: true,
    outlivesReader: true,
    shutdownMs: Infinity,
    load: async () => (await import('./worker.js')).workerCommand,
  },
  {
    syntax: 'queue <action> [id..]',
    describe: 'show the queue and failed slices; retry, pause, resume or drain',
    group: 'Many machines',
    load: async () => (await import('./queue.js')).queueCommand,
  },
  {
    syntax: 'verify [path..]',
    describe: 'check downloaded files against the manifest and their checksums',
    group: 'Check',
    printsEvents: true,
    outlivesReader: true,
    load: async () => (await import('./verify.js')).verifyCommand,
  },
  {
    syntax: 'audit [path..]',
    describe: 'check the contents of day files, and judge each day',
    group: 'Check',
    printsEvents: true,
    outlivesReader: true,
    load: async () => (await import('./audit.js')).auditCommand,
  },
  {
    syntax: 'coverage [folder]',
    describe: 'show which days exist, are empty or missing',
    group: 'Check',
    load: async () => (await import('./coverage.js')).coverageCommand,
  },
  {
    syntax: 'lock',
    describe: 'write a lock file with the checksums of the downloaded files',
    group: 'Check',
    load: async () => (await import('./lock.js')).lockCommand,
  },
  {
    syntax: 'manifest <action> <folder..>',
    describe: 'merge the manifests of several download folders',
    group: 'Many machines',
    load: async () => (await import('./manifest.js')).manifestCommand,
  },
  {
    syntax: 'convert [path..]',
    describe: `convert day files to ${OUTPUT_FORMAT_LIST}`,
    group: 'Use',
    printsEvents: true,
    outlivesReader: true,
    load: async () => (await import('./convert.js')).convertCommand,
  },
  {
    syntax: 'export <target> [path..]',
    describe: `write the input of ${joinWithOr(EXPORT_TARGET_NAMES)} backtests`,
    group: 'Use',
    printsEvents: true,
    outlivesReader: true,
    load: async () => (await import('./export.js')).exportCommand,
  },
  {
    syntax: 'views [folder]',
    describe: 'print DuckDB SQL with a view of each data type over a folder',
    group: 'Use',
    load: async () => (await import('./views.js')).viewsCommand,
  },
  {
    syntax: 'replay <exchange..>',
    describe: 'print the messages of a period as JSON lines, normalized or raw',
    group: 'Use',
    outlivesReader: true,
    load: async () => (await import('./replay.js')).replayCommand,
  },
  {
    syntax: 'serve',
    describe: 'run the local replay server: HTTP and WebSocket',
    group: 'Serve',
    outlivesReader: true,
    printsRequests: true,
    // Open responses have 5 s (serve.ts).
    shutdownMs: 8_000,
    load: async () => (await import('./serve.js')).serveCommand,
  },
  {
    syntax: 'stream <exchange..>',
    describe: 'print live normalized messages as JSON lines; no key needed',
    group: 'Use',
    outlivesReader: true,
    load: async () => (await import('./stream.js')).streamCommand,
  },
  {
    syntax: 'inspect <file>',
    describe: 'show schema, rows, time range and first rows of a file',
    group: 'Use',
    load: async () => (await import('./inspect.js')).inspectCommand,
  },
  {
    syntax: 'login',
    describe: 'sign in: register this machine, and set up the account',
    group: 'Account',
    printsEvents: true,
    outlivesReader: true,
    load: async () => (await import('./login.js')).loginCommand,
  },
  {
    syntax: 'logout',
    describe: 'remove the stored identity of an e-mail address, or all of them',
    group: 'Account',
    load: async () => (await import('./logout.js')).logoutCommand,
  },
  {
    syntax: 'account [action] [operation]',
    describe: 'show the account, list the operations of its API, or call one',
    group: 'Account',
    load: async () => (await import('./account.js')).accountCommand,
  },
  {
    syntax: 'key',
    describe: 'show what the API key may access',
    group: 'Account',
    load: async () => (await import('./key.js')).keyCommand,
  },
  {
    syntax: 'sandbox [command..]',
    describe: 'run an embedded service with generated market data',
    group: 'Serve',
    load: async () => (await import('./sandbox.js')).sandboxCommand,
  },
  {
    syntax: 'demo',
    describe: 'run the whole path against an embedded service; no key needed',
    group: 'Other',
    load: async () => (await import('./demo.js')).createDemoCommand(COMMANDS),
  },
  {
    syntax: 'completion [shell]',
    describe: 'print a shell completion script',
    group: 'Other',
    load: async () => (await import('./completion.js')).completionCommand,
  },
  {
    syntax: 'version',
    describe: 'print the version',
    group: 'Other',
    load: async () => (await import('./version.js')).versionCommand,
  },
  {
    syntax: `${HELP} [topic]`,
    describe: 'print the help of a command or a topic',
    group: 'Other',
    topics: HELP_TOPICS,
    load: async () => (await import('./help.js')).createHelpCommand(HELP_TOPICS),
  },
];
