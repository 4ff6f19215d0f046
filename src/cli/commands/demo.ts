import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatSize, plural } from '../../base/units.js';
import { readPath, readToggle } from '../../commands/arguments/read.js';
import { DAY_FILE_EXTENSION } from '../../dataset/day-file.js';
import type { Action, Cli, Outline } from '../arguments/types.js';
import { chalkFor } from '../output/text/color.js';

const FIRST_DAY = '2024-03-01';
const EXPORTED_UNTIL = '2024-03-09';

/** Faults that a run of this size is sure to meet, and that it heals within seconds. */
const FAULTS = ['500=0.15', 'truncate=0.1', 'bit-flip=0.1', 'short=0.1', 'rate-limit=0.02'];

/** @param commands all of the command line: the demo types some of them. */
export function demoOf(commands: readonly Outline[]): Action {
  return {
    flags: {
      dir: {
        type: 'string',
        requiresArg: true,
        alias: 'o',
        group: 'Demo:',
        describe: 'folder for the files (default: a new one under the temporary folder)',
      },
    },
    examples: [['$0 demo', 'takes some seconds and asks nothing']],
    async run(args, cli) {
      const { startSandbox } = await import('../../sandbox/server.js');
      const { parseFaults } = await import('../../sandbox/http/faults.js');
      const { parseDay } = await import('../../dataset/day.js');
      const chalk = chalkFor(cli.stdout, cli.env, readToggle(args, 'no-color'));
      const say = (text: string): unknown => cli.stdout.write(`${chalk.bold(text)}\n`);
      const dir = readPath(args, 'dir') ?? (await newFolder());
      const service = await startSandbox({
        exportedUntil: parseDay(EXPORTED_UNTIL),
        faults: parseFaults(FAULTS),
        faultsPerFile: 2,
        latencyMs: 20,
        rows: 5000,
        redirect: true,
      });
      const env = {
        ...cli.env,
        TICKHAUL_API_URL: service.apiUrl,
        TICKHAUL_DATASETS_URL: service.datasetsUrl,
        TICKHAUL_API_KEY: service.apiKey,
        TICKHAUL_DIR: dir,
        XDG_CACHE_HOME: join(dir, '.cache'),
        NO_PROXY: '127.0.0.1',
      };
      const run = (line: string): Promise<number> => runLine(commands, line, { ...cli, env }, say);
      const selection = `binance-futures -t trades,book_snapshot_5 -s BTCUSDT,ETHUSDT --from ${FIRST_DAY}`;
      try {
        say(
          'An embedded service is running. Its market data is made up; what follows is what you would type.\n',
        );
        await run('exchanges');
        await run('status binance-futures');
        await run(`plan binance-futures -t trades -s BTC* --from ${FIRST_DAY} --to 2024-03-11`);
        say(`\nFour in ten of the answers are now broken on purpose (${FAULTS.join(', ')}):`);
        const exitCode = await run(`download ${selection}`);
        if (exitCode !== 0) return exitCode;
        const broken = service.requests.filter(
          ({ host, fault }) => host === 'datasets' && fault !== undefined,
        ).length;
        say(
          `The service broke ${plural(broken, 'answer')}, and each file is whole: that is what a download does by itself.`,
        );
        say('\nOnce more: nothing is fetched twice.');
        const again = await run(`download ${selection}`);
        await showFolder(dir, cli, say);
        return again;
      } finally {
        await service.close();
      }
    },
  };
}

async function newFolder(): Promise<string> {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  return mkdtemp(join(tmpdir(), 'tickhaul-demo-'));
}

async function runLine(
  commands: readonly Outline[],
  line: string,
  cli: Cli,
  say: (text: string) => unknown,
): Promise<number> {
  const { parse } = await import('../arguments/parser.js');
  say(`\n$ tickhaul ${line}`);
  const parsed = await parse(commands, line.split(' '), 80);
  return parsed.kind === 'run' ? parsed.command.run(parsed.args, cli) : 0;
}

async function showFolder(dir: string, cli: Cli, say: (text: string) => unknown): Promise<void> {
  const names = (await readdir(dir)).filter((name) => name.endsWith(DAY_FILE_EXTENSION)).sort();
  say(`\n${dir} now holds ${names.length} verified day files, the first of them:`);
  for (const name of names.slice(0, 4)) {
    const { size } = await stat(join(dir, name));
    cli.stdout.write(`  ${name}  ${formatSize(size)}\n`);
  }
  cli.stdout.write('  .tickhaul/manifest.jsonl  size, checksums and rows of each\n');
}
