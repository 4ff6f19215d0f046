import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Chalk } from 'chalk';
import { createReporter, type Reporter } from '../../../../src/cli/output/run/reporter.js';
import { textWidth } from '../../../../src/cli/output/text/width.js';
import { parseDay } from '../../../../src/day-files/day.js';
import { cleanUp } from '../../../helpers/clean-up.js';
import { Emulator } from '../emulator.js';
import { createSink } from '../sink.js';

const day = parseDay('2024-03-01');

/** A run of files that are all in transfer, on a screen of this size. */
function begin(t: TestContext, screen: Emulator, files: number, name = 'deribit_trades_2024-03-01_BTC') {
  const reporter = createReporter('bars', {
    stdout: createSink(),
    stderr: screen,
    chalk: new Chalk({ level: 0 }),
    now: () => 0,
  });
  cleanUp(t, () => reporter.finish({ exitCode: 0, counts: {}, unfinished: 0, bytes: 0, seconds: 0 }));
  reporter.event({ event: 'plan', files });
  for (let i = 0; i < files; i++) startFile(reporter, `${name}${i}.csv.gz`, i);
  return reporter;
}

function startFile(reporter: Reporter, path: string, received: number): void {
  const file = { exchange: 'deribit', dataType: 'trades', symbol: 'BTC', day };
  reporter.event({ event: 'start', file, path });
  reporter.event({ event: 'progress', path, received, position: received, total: 1000 });
}

/** Resizes the screen, and waits until it is redrawn. */
async function resize(screen: Emulator, columns: number, rows: number): Promise<void> {
  screen.resize(columns, rows);
  await nextTurn();
}

test('redraws each bar once after the screen is resized', async (t) => {
  const screen = new Emulator(100, 24);
  screen.write('$ tickhaul download\n');
  begin(t, screen, 4);
  for (const [columns, rows] of [
    [100, 24],
    [40, 24],
    [120, 30],
    [25, 40],
    [100, 24],
  ] as const) {
    await resize(screen, columns, rows);
    const [prompt, total, ...files] = screen.shown;
    assert.equal(prompt, '$ tickhaul download');
    assert.match(total ?? '', /^0\/4.* \[ +\]/);
    assert.equal(files.length, 4, screen.shown.join('\n'));
    for (const [i, file] of files.entries()) {
      const size = columns < 60 ? ` ${i} B` : ` ${i} B of 1.0 kB`;
      const rate = `${columns < 60 ? ' ' : '  '}    0 B/s`;
      assert.ok(file.endsWith(columns < 32 ? size : size + rate), file);
    }
    // All lines have the full width, and the bars are aligned.
    assert.deepEqual(new Set(files.map(textWidth)), new Set([columns - 1]));
    assert.equal(new Set([total ?? '', ...files].map((line) => line.indexOf('['))).size, 1);
    assert.equal(new Set([total ?? '', ...files].map((line) => line.indexOf(']'))).size, 1);
  }
  assert.deepEqual(screen.history, []);
});

test('bars never exceed the rows and columns of the screen', async (t) => {
  const screen = new Emulator(100, 24);
  begin(t, screen, 60, 'deribit_options_chain_2024-03-01_'.padEnd(150, 'X'));
  for (const [columns, rows] of [
    [40, 10],
    [12, 5],
    [120, 1],
    [80, 30],
  ] as const) {
    await resize(screen, columns, rows);
    const lost = screen.history.length;
    for (let i = 0; i < 3; i++) {
      screen.emit('resize');
      await nextTurn();
    }
    // A frame larger than the screen would have scrolled it.
    assert.equal(screen.history.length, lost);
    assert.match(screen.shown.join('\n'), /0\/60/);
    for (const line of screen.shown) assert.match(line, /^0\/60|^…X/);
  }
});

test('a file after a failed attempt shows no progress until it receives bytes', async (t) => {
  const screen = new Emulator(80, 10);
  const reporter = begin(t, screen, 1);
  const path = 'deribit_trades_2024-03-01_BTC0.csv.gz';
  reporter.event({ event: 'progress', path, received: 1000, position: 1000, total: 1000 });
  reporter.event({
    event: 'retry',
    path,
    attempt: 1,
    waitMs: 1000,
    error: { code: 'corrupt', message: 'wrong gzip checksum' },
  });
  await resize(screen, 80, 10);
  assert.match(screen.shown[1] ?? '', /BTC0 \[ +\] +retrying$/);
  reporter.event({ event: 'progress', path, received: 500, position: 500, total: 1000 });
  await resize(screen, 80, 10);
  assert.match(screen.shown[1] ?? '', /BTC0 \[=+ +\] +500 B of 1\.0 kB +0 B\/s$/);
});

test('wide characters of a symbol count as two columns', async (t) => {
  const screen = new Emulator(50, 10);
  begin(t, screen, 1, 'binance_trades_2024-03-01_币安人生币安人生币安人生USDT');
  await resize(screen, 50, 10);
  assert.equal(screen.shown.length, 2);
  assert.match(screen.shown[1] ?? '', /^….*人生USDT0 \[ +\] +0 B +0 B\/s$/);
  assert.equal(textWidth(screen.shown[1] ?? ''), 49);
});

test('a long line above the bars erases the bars below it', async (t) => {
  const screen = new Emulator(40, 12);
  const reporter = begin(t, screen, 2);
  await resize(screen, 40, 12);
  reporter.event({ event: 'warning', message: 'w'.repeat(45) });
  await resize(screen, 40, 12);
  assert.deepEqual(screen.shown.slice(0, 2), [`warning ${'w'.repeat(32)}`, 'w'.repeat(13)]);
  assert.equal(screen.shown.length, 5);
});

test('prints a warning after the end below the summary', async (t) => {
  const screen = new Emulator(60, 24);
  const reporter = begin(t, screen, 1);
  reporter.finish({ exitCode: 0, counts: {}, unfinished: 0, bytes: 0, seconds: 0 });
  reporter.event({ event: 'warning', message: 'rows go back' });
  assert.ok(screen.shown.includes('warning rows go back'), screen.shown.join('\n'));
});

test('after a stop, the bars continue below other output', async (t) => {
  const screen = new Emulator(60, 24);
  begin(t, screen, 2);
  await resize(screen, 60, 24);
  screen.write('^Z\n[1]+ Stopped\n$ fg\ntickhaul\n');
  screen.emit('continue');
  await nextTurn();
  assert.deepEqual(screen.shown.slice(3, 6), ['[1]+ Stopped', '$ fg', 'tickhaul']);
  assert.equal(screen.shown.length, 9);
});

test('the end removes the bars, prints the summary and removes its listeners', async () => {
  const screen = new Emulator(60, 24);
  const reporter = createReporter('bars', {
    stdout: createSink(),
    stderr: screen,
    chalk: new Chalk({ level: 0 }),
    now: () => 0,
  });
  reporter.event({ event: 'plan', files: 1 });
  startFile(reporter, 'a.csv.gz', 1);
  await resize(screen, 30, 10);
  reporter.note('GET a\n');
  reporter.finish({ exitCode: 0, counts: { downloaded: 1 }, unfinished: 0, bytes: 1, seconds: 1 });
  assert.deepEqual(screen.shown, ['GET a', '✓ 1 downloaded (1 B, 1 B/s) in', '  1.0s']);
  assert.equal(screen.listenerCount('resize') + screen.listenerCount('continue'), 0);
});
