import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chalk } from 'chalk';
import {
  chooseReporter,
  createReporter,
  type ReporterName,
} from '../../../../src/cli/output/run/reporter.js';
import { chooseColorLevel } from '../../../../src/cli/output/text/color.js';
import { parseDay } from '../../../../src/day-files/day.js';
import type { FileEvent, RunEvent, RunSummary } from '../../../../src/events/run-events.js';
import { createSink } from '../sink.js';

const file = { exchange: 'deribit', dataType: 'trades', symbol: 'BTC', day: parseDay('2024-03-01') };
const failed: FileEvent = {
  event: 'file',
  status: 'failed',
  file,
  path: 'a.csv.gz',
  attempts: 3,
  error: { code: 'server_error', message: 'HTTP 500', status: 500 },
};
const events: readonly RunEvent[] = [
  { event: 'plan', files: 3, download: 2, skip: 0, resume: 0, pending: 1, unavailable: 0, unauthorized: 0 },
  { event: 'start', file, path: 'a.csv.gz' },
  { event: 'progress', path: 'a.csv.gz', received: 5, position: 5, total: 10 },
  { event: 'warning', message: 'odd md5' },
  failed,
  { event: 'file', status: 'pending', file, path: 'b.csv.gz' },
];
const summary: RunSummary = {
  exitCode: 5,
  counts: { failed: 1, pending: 1 },
  unfinished: 1,
  bytes: 0,
  seconds: 2,
};

async function play(name: ReporterName, size = {}, isQuiet = false) {
  const stdout = createSink();
  const stderr = createSink(size);
  const reporter = await createReporter(name, {
    stdout,
    stderr,
    chalk: new Chalk({ level: 0 }),
    now: () => 0,
    isQuiet,
  });
  for (const event of events) reporter.event(event);
  reporter.finish(summary);
  return { stdout: stdout.text(), stderr: stderr.text() };
}

const FAILED = 'failed a.csv.gz: HTTP 500 (after 3 attempts)\n';
const NEXT =
  '1 day not exported yet: tickhaul status deribit --wait --until 2024-03-01\nrun the same command again; complete files are kept\n';

test('wraps lines between words on a terminal; otherwise a failed file and an error are one line each', async () => {
  const message = 'the service answered with a status that is not known here';
  const ended: RunSummary = { ...summary, error: { code: 'server_error', message: `twice: ${message}` } };
  for (const name of ['bars', 'lines', 'quiet', 'json'] as const) {
    for (const isTTY of [true, false]) {
      if (name === 'bars' && !isTTY) continue;
      const stderr = createSink({ isTTY, columns: 40 });
      const context = { stdout: createSink(), stderr, chalk: new Chalk({ level: 0 }), now: () => 0 };
      const reporter = await createReporter(name, context);
      reporter.event({ event: 'warning', message });
      reporter.event({ ...failed, error: { code: 'server_error', message } });
      reporter.finish(ended);
      const lines = stderr.text().split('\n');
      const parts = [
        `tickhaul: twice: ${message}`,
        ...(name === 'json' ? [] : [`failed a.csv.gz: ${message}`]),
      ];
      for (const part of parts)
        assert.equal(
          lines.some((line) => line.startsWith(part)),
          !isTTY,
          `${name}: ${part}`,
        );
      const reported = lines.filter((line) => /service|status|known/.test(line));
      assert.ok(!isTTY || reported.every((line) => line.length <= 40), stderr.text());
      assert.ok(lines.join(' ').includes(message));
    }
  }
});

test('file names cannot break lines or move the cursor', async () => {
  const stderr = createSink();
  const stdout = createSink();
  const context = { stdout, stderr, chalk: new Chalk({ level: 0 }), now: () => 0 };
  const reporter = await createReporter('lines', context);
  const path = 'a\n\u001b[2Jb.csv.gz';
  reporter.event({ event: 'finding', kind: 'unknown', path, message: `${path}: unknown` });
  reporter.event({ ...failed, path });
  reporter.event({ event: 'warning', message: path });
  const lines = stderr.text().trimEnd().split('\n');
  assert.deepEqual([lines.length, lines.join().includes('\u001b')], [3, false]);
});

test('a run whose files can only fail again does not suggest it', async () => {
  for (const code of ['server_error', 'changed'] as const) {
    const stderr = createSink();
    const context = { stdout: createSink(), stderr, chalk: new Chalk({ level: 0 }), now: () => 0 };
    const reporter = await createReporter('lines', context);
    reporter.event({ ...failed, error: { code, message: code } });
    reporter.finish({ exitCode: 6, counts: { failed: 1 }, unfinished: 0, bytes: 0, seconds: 2 });
    assert.equal(stderr.text().includes('run the same command again'), code === 'server_error');
  }
});

test('json prints plan, files and summary on stdout, warnings on stderr', async () => {
  const { stdout, stderr } = await play('json');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ event }) => event),
    ['plan', 'file', 'file', 'summary'],
  );
  assert.equal(lines[1].date, '2024-03-01');
  assert.deepEqual(lines[1].error, { code: 'server_error', message: 'HTTP 500', status: 500 });
  assert.deepEqual(lines[3], {
    event: 'summary',
    exitCode: 5,
    failed: 1,
    pending: 1,
    unfinished: 1,
    bytes: 0,
    seconds: 2,
  });
  assert.equal(stderr, 'warning odd md5\ntickhaul: a.csv.gz: HTTP 500\n');
});

test('quiet json prints the same lines on stdout, and on stderr only why the run failed', async () => {
  const { stdout } = await play('json');
  assert.deepEqual(await play('json', {}, true), { stdout, stderr: 'tickhaul: a.csv.gz: HTTP 500\n' });
});

test('lines reports failures, warnings and the summary, and progress at most every 10 seconds', async () => {
  const { stdout, stderr } = await play('lines');
  assert.equal(stdout, '');
  assert.equal(
    stderr,
    `3 files planned: 2 to download\nwarning odd md5\n${FAILED}1 pending, 1 failed, 1 unfinished in 2.0s\n${NEXT}`,
  );
});

test('quiet reports only failed files', async () => {
  assert.deepEqual(await play('quiet'), { stdout: '', stderr: FAILED });
});

for (const name of ['lines', 'bars', 'quiet'] as const) {
  test(`${name}: an error that stopped the run is printed once, whether or not a file’s line had it`, async () => {
    const reported = async (message: string): Promise<number> => {
      const stderr = createSink({ isTTY: true, columns: 100, rows: 24 });
      const context = { stdout: createSink(), stderr, chalk: new Chalk({ level: 0 }), now: () => 0 };
      const reporter = await createReporter(name, context);
      for (const event of events) reporter.event(event);
      reporter.finish({ ...summary, error: { code: 'bad_key', message } });
      return stderr.text().split(message).length - 1;
    };
    assert.equal(await reported('HTTP 500'), 1);
    assert.equal(await reported('the disk is full'), 1);
  });
}

test('bars print failures above the bars, and the summary below', async () => {
  const { stdout, stderr } = await play('bars', { isTTY: true, columns: 40, rows: 5 });
  assert.equal(stdout, '');
  assert.ok(stderr.includes(FAILED.replace('(after 3 ', '(after 3\n')));
  assert.ok(stderr.endsWith(NEXT));
});

test('flags select the reporter, then the terminal', () => {
  const terminal = { write() {}, isTTY: true };
  assert.equal(chooseReporter(true, true, terminal, 'xterm'), 'json');
  assert.equal(chooseReporter(false, true, terminal, 'xterm'), 'quiet');
  assert.equal(chooseReporter(false, false, terminal, 'xterm'), 'bars');
  assert.equal(chooseReporter(false, false, terminal, undefined), 'bars');
  assert.equal(chooseReporter(false, false, terminal, 'dumb'), 'lines');
  assert.equal(chooseReporter(false, false, { write() {} }, 'xterm'), 'lines');
});

test('colours: flag over NO_COLOR over FORCE_COLOR over terminal', () => {
  const terminal = { write() {}, isTTY: true };
  const pipe = { write() {} };
  assert.equal(chooseColorLevel(terminal, { FORCE_COLOR: '3' }, true), 0);
  assert.equal(chooseColorLevel(terminal, { NO_COLOR: '1', FORCE_COLOR: '3' }, false), 0);
  assert.equal(chooseColorLevel(pipe, { NO_COLOR: '', FORCE_COLOR: '2' }, false), 2);
  assert.equal(chooseColorLevel(pipe, { FORCE_COLOR: '' }, false), 1);
  assert.equal(chooseColorLevel(pipe, {}, false), 0);
  assert.equal(chooseColorLevel(terminal, { TERM: 'xterm-256color' }, false), 2);
  assert.equal(chooseColorLevel(terminal, { TERM: 'dumb' }, false), 0);
});
