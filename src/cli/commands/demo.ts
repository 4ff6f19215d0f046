import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plural } from '../../base/units.js';
import { readBooleanFlag, readPath } from '../../commands/arguments/read-arguments.js';
import { DAY_FILE_EXTENSION } from '../../dataset/day-file.js';
import type { CliHost, CommandAction, CommandOutline } from '../arguments/command.js';
import { createChalk } from '../output/text/color.js';
import { sandboxEnvironment } from '../sandbox-environment.js';

const SELECTION = 'binance-futures -t trades,book_snapshot_5 -s BTCUSDT,ETHUSDT --from 2024-03-01';
const EXPORTED_UNTIL = '2024-03-09';

/** Faults that a run of this size is sure to meet, and that it heals within seconds. */
const FAULTS = ['500=0.15', 'truncate=0.1', 'bit-flip=0.1', 'short=0.1', 'rate-limit=0.02'];

/** @param commands all of the command line: the demo types some of them. */
export function createDemoCommand(commands: readonly CommandOutline[]): CommandAction {
  return {
    flags: {
      dir: {
        type: 'string',
        requiresArg: true,
        alias: 'o',
        group: 'Demo:',
        describe: 'folder for the files (default: a new one in the temporary folder)',
      },
    },
    examples: [['$0 demo', 'takes some seconds, and asks nothing']],
    async run(args, cli) {
      const { startSandbox } = await import('../../sandbox/start-sandbox.js');
      const { parseFaults } = await import('../../sandbox/http/sandbox-faults.js');
      const { parseDay } = await import('../../dataset/day.js');
      const chalk = createChalk(cli.stdout, cli.env, readBooleanFlag(args, 'no-color'));
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
        ...sandboxEnvironment(service, cli.env),
        TICKHAUL_DIR: dir,
        XDG_CACHE_HOME: join(dir, '.cache'),
      };
      const run = async (line: string, ...more: readonly string[]): Promise<void> => {
        const exitCode = await runWords(commands, [...line.split(' '), ...more], { ...cli, env }, say);
        if (exitCode !== 0) throw new StepFailed(exitCode);
      };
      try {
        say('A service runs on this machine, with made-up market data. Each $ is what you would type.');
        await run(`plan ${SELECTION}`);
        say(`\nNow four in ten answers are broken on purpose (${FAULTS.join(', ')}).`);
        await run(`download ${SELECTION}`);
        const broken = service.requests.filter(
          ({ host, fault }) => host === 'datasets' && fault !== undefined,
        ).length;
        say(`The service broke ${plural(broken, 'answer')}, and each file is whole.`);
        say('\nOnce more. Nothing is fetched twice.');
        await run(`download ${SELECTION}`);
        const parquet = join(dir, 'parquet');
        say('\nParquet, with a folder for each symbol and day.');
        await run('convert --layout hive', dir, '-o', parquet);
        say('\nBars of one minute, made from the trades.');
        await run('convert --as trade_bar_1m --layout hive', join(dir, '*_trades_*'), '-o', parquet);
        say('\nWhat DuckDB can ask of them. This is shown and not run: tickhaul needs no DuckDB.\n');
        cli.stdout.write(barsQuery(parquet));
        say('\nWhich days are there?');
        await run('coverage -t trades');
        say(`${await countDayFiles(dir)} verified day files, their Parquet and their bars are in ${dir}`);
        say(`This removes them: rm -r ${shown(dir)}`);
        return 0;
      } catch (error) {
        if (error instanceof StepFailed) return error.exitCode;
        throw error;
      } finally {
        await service.close();
      }
    },
  };
}

/** A command of the demo that has said itself why it failed. */
class StepFailed extends Error {
  constructor(readonly exitCode: number) {
    super('a command of the demo failed');
  }
}

async function newFolder(): Promise<string> {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  return mkdtemp(join(tmpdir(), 'tickhaul-demo-'));
}

async function runWords(
  commands: readonly CommandOutline[],
  words: readonly string[],
  cli: CliHost,
  say: (text: string) => unknown,
): Promise<number> {
  const { parseCommandLine } = await import('../arguments/parse-command-line.js');
  say(`\n$ tickhaul ${words.map(shown).join(' ')}`);
  const parsed = await parseCommandLine(commands, words, 80);
  return parsed.kind === 'run' ? parsed.command.run(parsed.args, cli) : 0;
}

/** A word as a shell takes it. */
function shown(word: string): string {
  return /^[\w./,:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The days of each symbol, from its bars. */
function barsQuery(parquet: string): string {
  const bars = join(parquet, 'exchange=*', 'type=trade_bar_1m', '**', '*.parquet').replaceAll("'", "''");
  return [
    '  SELECT symbol, date, min(low) AS low, max(high) AS high, sum(volume) AS volume',
    `  FROM read_parquet('${bars}', hive_partitioning = true)`,
    '  GROUP BY ALL ORDER BY ALL;\n',
  ].join('\n');
}

async function countDayFiles(dir: string): Promise<number> {
  return (await readdir(dir)).filter((name) => name.endsWith(DAY_FILE_EXTENSION)).length;
}
