// Checks that every command prints the same as that of an older build: exit code, stdout and stderr, as text, with
// --json and --quiet, after mistakes, into a closed pipe, and the final screen of terminals of 40, 80 and 200 columns.
// Run it before a change of the command line is complete.
//   TICKHAUL_OLD=<path of an older build's command> node bench/same-output.js [--only <part of a command line>]
// Each build has a service with the same data, a home folder and a working folder, where the command lines run in the
// order of the list. Times, rates, ports, process numbers and temporary folders are masked.
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
// cspell:ignore tcsh tradez derobit qfec stty
import { parseArgs } from 'node:util';
import { withScratch } from './lib/scratch.js';
import { DIST, OLD_TICKHAUL, startServiceOf, TICKHAUL } from './lib/service.js';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
if (!OLD_TICKHAUL) throw new Error('TICKHAUL_OLD is missing: the command of the build to compare with');
// The terminal of the tests; `npm run build` compiles it.
const { Emulator } = await import(join(DIST, 'test/cli/output/emulator.js'));

const DAYS = '--from 2024-03-01 --to 2024-03-04';
const SELECTION = `deribit -t trades,quotes -s BTC-PERPETUAL ${DAYS}`;
const FILE = 'datasets/deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz';
const BOTH = ['', '--json', '--quiet'];
const ALL = [...BOTH, '--verbose', '--json --quiet --verbose'];

/** Command lines, each with the flags that it is run with in turn. */
const LINES = [
  ['', ['']],
  ['version', BOTH],
  ['--help', ['', '--json']],
  ['help download', ['']],
  ['completion bash', ['']],
  ['completion tcsh', ['']],
  ['nonsense', ['', '--json']],
  ['download --nope', ['', '--json']],
  ['download deribit -t trades', ALL],
  ['download', BOTH],
  ['plan deribit -t tradez -s BTC-PERPETUAL --date 2024-03-01', BOTH],
  ['plan', BOTH],
  ['replay', BOTH],
  ['replay deribit:BTC-PERPETUAL -t trade', BOTH],
  ['stream', BOTH],
  ['export', BOTH],
  ['convert nothing-here', BOTH],
  ['verify --dir nothing-here', BOTH],
  ['inspect nothing-here.csv.gz', BOTH],
  ['exchanges', ALL],
  ['exchanges deribit', BOTH],
  ['exchanges derobit', BOTH],
  ['symbols deribit BTC*', ALL],
  ['symbols deribit XYZ*', BOTH],
  ['symbols deribit --on 2024-13-01', BOTH],
  ['instruments bitmex', BOTH],
  ['instruments bitmex XBTUSD', BOTH],
  ['instruments bitmex --type nothing', BOTH],
  ['status deribit', BOTH],
  ['status deribit --wait --until 2024-03-01', BOTH],
  ['status deribit --wait --until 2024-06-01 --timeout 1s', BOTH],
  ['status deribit --until 2024-06-01', BOTH],
  [`plan ${SELECTION}`, ALL],
  [`plan ${SELECTION} --files`, ALL],
  [`download ${SELECTION} -j 1 --dir verbose`, ['--verbose --json']],
  [`download ${SELECTION} -j 1 --dir quiet`, ['--quiet']],
  [`download ${SELECTION} -j 1 --dir json`, ['--json']],
  [`download ${SELECTION} -j 1`, ['', ...ALL]],
  ['download deribit -t trades -s BTC-PERPETUAL --date 2024-03-20 -j 1', BOTH],
  ['download deribit -t trades -s BTC-PERPETUAL --date 2024-03-05 -j 1 --convert parquet', ['', '--json']],
  [
    'download deribit -t trades -s BTC-PERPETUAL --date 2024-03-06 --retries 0 --datasets-url http://127.0.0.1:1',
    BOTH,
  ],
  ['sync --dry-run -j 1', ALL],
  ['sync -j 1', ALL],
  ['sync --config nothing-here.yaml', BOTH],
  ['verify', ALL],
  ['verify --quick', BOTH],
  ['verify --listed', BOTH],
  ['verify --cache', BOTH],
  ['audit -j 1', ALL],
  ['audit -j 1 --html audit.html', BOTH],
  ['audit -j 1 --html -', BOTH],
  ['audit -j 1 --fail-on good,degraded', BOTH],
  ['coverage', ALL],
  ['coverage --all', ['']],
  ['coverage --html coverage.html', BOTH],
  ['coverage --html -', ['']],
  ['lock', ALL],
  ['lock -o -', BOTH],
  ['lock --format md5sum', BOTH],
  ['views', BOTH],
  ['views -o views.sql', ALL],
  ['manifest merge json quiet --dir datasets', ALL],
  ['convert datasets -j 1 -o parquet', ALL],
  [`convert ${FILE} -o -`, BOTH],
  [`convert ${FILE} -o - --as trade_bar_1m,rows`, ['']],
  ['convert datasets -j 1 -t trades --as trade_bar_1m -o bars', BOTH],
  ['export freqtrade datasets -t trades --pair BTC/USD -o candles --offline', ALL],
  ['export hftbacktest datasets -o npz', BOTH],
  [`inspect ${FILE}`, ALL],
  ['inspect parquet', BOTH],
  ['replay deribit:BTC-PERPETUAL -t trade_bar_1m --date 2024-03-01', ALL],
  ['replay deribit:BTC-PERPETUAL -t trade_bar_1m --date 2024-03-07 -j 1 -o bars.ndjson', ALL],
  ['replay bitmex:XBTUSD --channel trade --from 2024-03-01T00:00 --to 2024-03-01T00:05 -o raw.ndjson', ALL],
  ['replay bitmex:XBTUSD -t trade --source feeds --from 2024-03-01T00:00 --to 2024-03-01T00:02', BOTH],
  ['stream bitmex:XBTUSD -t trade --for 1s', ALL],
  ['serve --port nothing', BOTH],
  ['enqueue deribit -t trades', BOTH],
  ['queue retry', BOTH],
  ['queue status 1', BOTH],
  ['worker', BOTH],
  ['login', BOTH],
  ['login --email jo@example.com --timeout 1s', BOTH],
  ['logout', BOTH],
  ['logout --all', BOTH],
  ['account', ALL],
  ['account call', BOTH],
  ['account call nothing --data x', BOTH],
  ['account --operations', BOTH],
  ['key', ALL],
  ['sandbox --fault nothing=1', BOTH],
  ['sandbox -- true', ALL],
];

/** Command lines of terminals. */
const TERMINAL_LINES = [
  `plan ${SELECTION}`,
  `download ${SELECTION} --dir screen`,
  `download ${SELECTION} --dir screen --quiet`,
  'download deribit -t trades -s BTC-PERPETUAL --date 2024-03-20',
  'verify',
  'audit',
  'coverage',
  'sync',
  'exchanges deribit',
  'symbols deribit BTC*',
  'key',
  `inspect ${FILE}`,
  'replay deribit:BTC-PERPETUAL -t trade_bar_1m --date 2024-03-07 -o screen.ndjson',
  'replay bitmex:XBTUSD --channel trade --from 2024-03-01T00:00 --to 2024-03-01T00:05 -o screen.raw',
  'download --nope',
];

/** Command lines whose reader closes the pipe at once. */
const CLOSED_LINES = ['exchanges --json', `plan ${SELECTION} --files`, `convert ${FILE} -o -`, 'coverage'];

const CONFIG = `dir: datasets
jobs:
  - name: bars
    exchange: deribit
    types: [trades]
    symbols: [BTC-PERPETUAL]
    from: 2024-03-01
    to: 2024-03-04
  - name: other
    exchange: bitmex
    types: [trades]
    symbols: [XBTUSD]
    from: 2024-03-01
    to: 2024-03-02
`;

let compared = 0;
let different = 0;
await withScratch(async (scratch, cleanUp) => {
  const builds = [];
  for (const [name, command] of [
    ['old', OLD_TICKHAUL],
    ['new', TICKHAUL],
  ]) {
    const dir = join(scratch, name);
    await mkdir(join(dir, 'home'), { recursive: true });
    await writeFile(join(dir, 'tickhaul.yaml'), CONFIG);
    const flags = ['--seed', '7', '--rows', '500', '--exported-until', '2024-03-10'];
    const service = await startServiceOf(command, ...flags);
    cleanUp(service.stop);
    const env = {
      ...service.env,
      PATH: process.env.PATH,
      HOME: join(dir, 'home'),
      TICKHAUL_DIR: 'datasets',
      WSS_URL_BITMEX: 'ws://127.0.0.1:1',
      LC_ALL: 'C.UTF-8',
    };
    builds.push({ command, dir, env });
  }
  for (const [line, flags] of LINES) {
    for (const more of flags) await compare(builds, `${line} ${more}`.trim(), runPiped);
  }
  for (const line of CLOSED_LINES) await compare(builds, line, runClosed, '| true');
  for (const columns of [40, 80, 200]) {
    for (const line of TERMINAL_LINES) {
      const run = (build, words) => runInTerminal(build, words, columns);
      await compare(builds, line.replace('screen', `screen${columns}`), run, `(${columns} columns)`);
    }
  }
});
process.stdout.write(`${compared} command lines compared, ${different} different\n`);
if (different > 0) process.exitCode = 1;

async function compare(builds, line, run, label = '') {
  if (!line.includes(values.only)) return;
  const [before, now] = await Promise.all(builds.map(async (build) => mask(await run(build, line), build)));
  compared++;
  const parts = Object.keys(before).filter((part) => before[part] !== now[part]);
  if (parts.length === 0) return;
  different++;
  process.stdout.write(`\n$ tickhaul ${line} ${label}\n`);
  for (const part of parts) process.stdout.write(`${part}:\n${difference(before[part], now[part])}`);
}

/** The lines of which only one text has as many. */
function difference(before, now) {
  const [old, recent] = [before, now].map((text) => String(text).split('\n'));
  const lacks = (lines, others) => lines.filter((line, at) => others[at] !== line).slice(0, 20);
  const show = (mark, lines) => lines.map((line) => `  ${mark} ${line.slice(0, 400)}\n`).join('');
  return show('-', lacks(old, recent)) + show('+', lacks(recent, old));
}

function runPiped({ command, dir, env }, line) {
  return finish(spawn(process.execPath, [command, ...toWords(line)], { cwd: dir, env }));
}

/** Runs a command line whose stdout nobody reads. */
async function runClosed({ command, dir, env }, line) {
  const child = spawn(process.execPath, [command, ...toWords(line)], { cwd: dir, env });
  child.stdout.destroy();
  const { exitCode, stderr } = await finish(child);
  return { exitCode, stderr };
}

async function runInTerminal({ command, dir, env }, line, columns) {
  const words = [process.execPath, command, ...toWords(line)].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qfec', `stty cols ${columns} rows 60; ${words}`, '/dev/null'], {
    cwd: dir,
    env: { ...env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' },
  });
  const { exitCode, stdout } = await finish(child);
  const screen = new Emulator(columns, 60);
  // The emulator has no "erase to the end of the line", which only follows a return to its start.
  screen.write(stdout.replaceAll('\u001b[K', '\u001b[2K'));
  return { exitCode, screen: [...screen.history, ...screen.shown].join('\n') };
}

function toWords(line) {
  return line === '' ? [] : line.split(' ');
}

function finish(child) {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      texts[name] += text;
    });
  child.stdin.end();
  return new Promise((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, ...texts }));
  });
}

/** Replaces what differs from run to run. */
function mask(result, { dir, command }) {
  const maskText = (text) =>
    text
      .replaceAll(dir, '<dir>')
      .replaceAll(command, '<command>')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
      .replace(/"(freeBytes|estimatedSeconds)":\d+/g, '"$1":<number>')
      .replace(/attempt=att_[\w-]+/g, 'attempt=<id>')
      .replace(/<meta http-equiv[^>]*>|<script(?: type="module")?>.*?<\/script>/gs, '<code of a page>')
      // Files end in any order.
      .replace(/(?:^\{"event":"file".*\n)+/gm, (lines) =>
        lines.split('\n').sort().slice(1).join('\n').concat('\n'),
      )
      .replace(/"[^"]*(?:seconds|At|Ms)":("[^"]*"|[\d.]+)/g, '"<time>"')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, (time) => (time > '2025' ? '<now>' : time))
      .replace(/[\d.]+ ?[kMG]?B\/s/g, '<rate>')
      .replace(/[\d.,]+[kM]? messages\/s/g, '<rate>')
      .replace(/\b(?:\d+h)?(?:\d+m)?[\d.]+(?:ms|s)\b(?! time)/g, '<time>')
      .replace(/\d+ ms\b/g, '<time>')
      .replace(/\b\d+ seconds?\b/g, '<time>')
      .replace(/\bpid \d+|tickhaul-bug-\d+-\d+/g, '<process>')
      // A terminal wraps texts with times of other widths elsewhere.
      .replace(/ +/g, ' ');
  return Object.fromEntries(
    Object.entries(result).map(([part, value]) => [
      part,
      typeof value === 'string' ? maskText(value) : value,
    ]),
  );
}
