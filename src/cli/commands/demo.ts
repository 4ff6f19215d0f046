import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quoteForShell } from '../../base/disk-files.js';
import { plural } from '../../base/units.js';
import { DAY_FILE_EXTENSION } from '../../day-files/day-file.js';
import { groupOptions } from '../../options/option-definition.js';
import type { CliHost, CommandAction, CommandOutline } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { sandboxEnvironment } from './sandbox.js';

const SELECTION = 'binance-futures -t trades,book_snapshot_5 -s BTCUSDT,ETHUSDT --from 2024-03-01';
const EXPORTED_UNTIL = '2024-03-09';

/** Faults that are certain to occur in a run of this size, and from which it recovers within seconds. */
const FAULTS = ['500=0.15', 'truncate=0.1', 'bit-flip=0.1', 'short=0.1', 'rate-limit=0.02'];

/** Faults of the market data: three of the day files have one. */
const DATA_FAULTS = ['gap=0.1', 'crossed-book=0.1', 'duplicate-trades=0.1'];

const OPTIONS = groupOptions('Demo:', {
  dir: {
    type: 'folder',
    description: 'folder for the files',
    defaultText: 'a new one in the temporary folder',
    alias: 'o',
  },
});

/** @param commands all commands; the demo runs some of them. */
export function createDemoCommand(commands: readonly CommandOutline[]): CommandAction {
  return defineCommand(OPTIONS, {
    examples: [['$0 demo', 'takes some seconds, without questions']],
    async run(options, cli) {
      const { startSandbox } = await import('../../sandbox/start-sandbox.js');
      const { parseFaults } = await import('../../sandbox/hosts/sandbox-faults.js');
      const { parseDay } = await import('../../day-files/day.js');
      const chalk = await cli.output.chalk(cli.stdout);
      const print = (text: string): unknown => cli.stdout.write(`${chalk.bold(text)}\n`);
      const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'tickhaul-demo-')));
      const service = await startSandbox({
        exportedUntil: parseDay(EXPORTED_UNTIL),
        faults: parseFaults([...FAULTS, ...DATA_FAULTS]),
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
      const run = async (line: string, ...moreWords: readonly string[]): Promise<void> => {
        const exitCode = await runWords(commands, [...line.split(' '), ...moreWords], { ...cli, env }, print);
        if (exitCode !== 0) throw new StepError(exitCode);
      };
      try {
        print(
          'A service with generated market data runs on this machine. Each $ is a command that you could type.',
        );
        await run(`plan ${SELECTION}`);
        print(`\nNow four in ten responses are broken on purpose (${FAULTS.join(', ')}).`);
        await run(`download ${SELECTION}`);
        const brokenResponses = service.requests.filter(
          ({ host, fault }) => host === 'datasets' && fault !== undefined,
        ).length;
        print(`The service broke ${plural(brokenResponses, 'response')}, and each file is complete.`);
        print('\nRun it again. Nothing is downloaded twice.');
        await run(`download ${SELECTION}`);
        const parquet = join(dir, 'parquet');
        print('\nThe bytes are right, but the market data of some files has faults. The audit finds them.');
        await run('audit --html', join(dir, 'audit.html'));
        print('\nConvert to Parquet, with a folder per symbol and day.');
        await run('convert --layout hive', dir, '-o', parquet);
        print('\nCompute one-minute bars from the trades.');
        await run('convert --as trade_bar_1m --layout hive', join(dir, '*_trades_*'), '-o', parquet);
        print('\nA DuckDB query on the bars. It is only printed: tickhaul needs no DuckDB.\n');
        cli.stdout.write(formatBarsQuery(parquet));
        print('\nShow which days are there.');
        await run('coverage -t trades');
        print(`${await countDayFiles(dir)} verified day files, their Parquet files and bars are in ${dir}`);
        print(`Remove them with: rm -r ${quoteForShell(dir)}`);
        return 0;
      } catch (error) {
        if (error instanceof StepError) return error.exitCode;
        throw error;
      } finally {
        await service.close();
      }
    },
  });
}

/** A failed command of the demo, which has already printed its error. */
class StepError extends Error {
  constructor(readonly exitCode: number) {
    super('a command of the demo failed');
  }
}

async function runWords(
  commands: readonly CommandOutline[],
  words: readonly string[],
  cli: CliHost,
  print: (text: string) => unknown,
): Promise<number> {
  const { parseCommandLine } = await import('../arguments/parse-command-line.js');
  const { runCommand } = await import('../run-command.js');
  print(`\n$ tickhaul ${words.map(quoteForShell).join(' ')}`);
  const parsed = await parseCommandLine(commands, words, 80);
  return parsed.kind === 'run' ? runCommand(parsed.command, parsed.args, cli) : 0;
}

/** The daily range and volume of each symbol, from its bars. */
function formatBarsQuery(parquet: string): string {
  const bars = join(parquet, 'exchange=*', 'data_type=trade_bar_1m', '**', '*.parquet').replaceAll("'", "''");
  return [
    '  SELECT symbol, date, min(low) AS low, max(high) AS high, sum(volume) AS volume',
    `  FROM read_parquet('${bars}', hive_partitioning = true)`,
    '  GROUP BY ALL ORDER BY ALL;\n',
  ].join('\n');
}

async function countDayFiles(dir: string): Promise<number> {
  return (await readdir(dir)).filter((name) => name.endsWith(DAY_FILE_EXTENSION)).length;
}
