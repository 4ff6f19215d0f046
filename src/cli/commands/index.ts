import type { Outline } from '../arguments/types.js';

/** Every subcommand, in the order of the help text. Its code is loaded when it is needed: starting is most of a short run. */
export const COMMANDS: readonly Outline[] = [
  {
    syntax: 'exchanges [exchange]',
    describe: "list the exchanges, or show one exchange's record",
    load: async () => (await import('./exchanges.js')).exchanges,
  },
  {
    syntax: 'symbols <exchange> [glob..]',
    describe: 'list dataset symbols with type, data types and availability',
    load: async () => (await import('./symbols.js')).symbols,
  },
  {
    syntax: 'instruments <exchange> [symbol]',
    describe: "list an exchange's instruments with what is known of them, or show one",
    load: async () => (await import('./instruments.js')).instruments,
  },
  {
    syntax: 'status <exchange>',
    describe: 'show which days are exported, or wait for one',
    load: async () => (await import('./status.js')).status,
  },
  {
    syntax: 'plan [exchange]',
    describe: 'show what download would do with the same flags',
    working: true,
    load: async () => (await import('./plan.js')).plan,
  },
  {
    syntax: 'download [exchange]',
    describe: 'download day files in parallel, verify them and record them in the manifest',
    working: true,
    outlivesReader: true,
    load: async () => (await import('./download.js')).download,
  },
  {
    syntax: 'sync',
    describe: 'bring every job of a config file up to date: the nightly command',
    working: true,
    outlivesReader: true,
    load: async () => (await import('./sync.js')).sync,
  },
  {
    syntax: 'enqueue [exchange]',
    describe: 'put the work of a download into a queue, for many machines',
    working: true,
    load: async () => (await import('./enqueue.js')).enqueue,
  },
  {
    syntax: 'worker',
    describe: 'work on slices of the queue: one on each machine',
    working: true,
    outlivesReader: true,
    endsInItsTime: true,
    load: async () => (await import('./worker.js')).worker,
  },
  {
    syntax: 'queue <action> [id..]',
    describe: 'show the queue and what failed in it, retry, pause, resume or empty it',
    load: async () => (await import('./queue.js')).queue,
  },
  {
    syntax: 'verify [path..]',
    describe: 'check downloaded files against the manifest and their own checksums',
    working: true,
    outlivesReader: true,
    load: async () => (await import('./verify.js')).verify,
  },
  {
    syntax: 'coverage [folder]',
    describe: 'show which days are there, empty or missing, by exchange, type and symbol',
    load: async () => (await import('./coverage.js')).coverage,
  },
  {
    syntax: 'lock',
    describe: 'write a lock file with the checksums of what is downloaded',
    load: async () => (await import('./lock.js')).lock,
  },
  {
    syntax: 'manifest <action> <folder..>',
    describe: 'make one manifest of those of several download folders',
    load: async () => (await import('./manifest.js')).manifest,
  },
  {
    syntax: 'convert <path..>',
    describe: 'convert day files to Parquet or NDJSON',
    working: true,
    outlivesReader: true,
    load: async () => (await import('./convert.js')).convert,
  },
  {
    syntax: 'replay <exchange..>',
    describe: "print a period's messages as JSON lines: normalized, from day files, or an exchange's own",
    outlivesReader: true,
    load: async () => (await import('./replay.js')).replay,
  },
  {
    syntax: 'serve',
    describe: 'run the local replay server: HTTP and WebSocket, raw and normalized',
    outlivesReader: true,
    load: async () => (await import('./serve.js')).serve,
  },
  {
    syntax: 'stream <exchange..>',
    describe: 'print normalized messages as JSON lines, live from the exchanges; no key needed',
    outlivesReader: true,
    load: async () => (await import('./stream.js')).stream,
  },
  {
    syntax: 'inspect <file>',
    describe: 'show schema, rows, time range and first rows of a .csv.gz, .parquet or .ndjson file',
    load: async () => (await import('./inspect.js')).inspect,
  },
  {
    syntax: 'login',
    describe: 'sign in: register this machine, confirm it on a page, set up the account',
    working: true,
    outlivesReader: true,
    load: async () => (await import('./login.js')).login,
  },
  {
    syntax: 'logout',
    describe: 'forget the stored identity of an e-mail, or all of them',
    load: async () => (await import('./logout.js')).logout,
  },
  {
    syntax: 'account [action] [operation]',
    describe: 'show the account, list the operations of its API, or call one',
    load: async () => (await import('./account.js')).account,
  },
  {
    syntax: 'key',
    describe: 'show what the API key may access',
    load: async () => (await import('./key.js')).key,
  },
  {
    syntax: 'sandbox [command..]',
    describe: 'run an embedded service with made-up market data on this machine, alone or for a command',
    load: async () => (await import('./sandbox.js')).sandbox,
  },
  {
    syntax: 'demo',
    describe: 'show how it all works, against an embedded service: no key, no network',
    load: async () => (await import('./demo.js')).demoOf(COMMANDS),
  },
  {
    syntax: 'completion [shell]',
    describe: 'print a shell completion script',
    load: async () => (await import('./completion.js')).completion,
  },
  {
    syntax: 'version',
    describe: 'print the version',
    load: async () => (await import('./version.js')).version,
  },
];
