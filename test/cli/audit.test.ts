import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Chalk } from 'chalk';
import { AuditText } from '../../src/cli/output/format-audit.js';
import { textWidth } from '../../src/cli/output/text/width.js';
import type { AuditedDay, DayCondition } from '../../src/events/audited-day.js';
import {
  auditFolder,
  auditHere,
  createDayCsv,
  createRecord,
  startRecordHost,
  withDuplicate,
  writeDay,
} from '../audit/auditing.js';
import { start, succeeded, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { bucketFor } from '../helpers/s3/bucket.js';
import { storeTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

const TEXT = `\
exchange  type    symbol  available  degraded  missing  pending  corrupt  rows
deribit   trades  BTC             1         1        1        0        1   101

■ available   ▲ degraded   × missing   · pending   ! corrupt

deribit trades BTC
2024 1   5    10   15   20   25   30
 Mar ■▲×!

degraded 2024-03-02 deribit trades BTC: duplicate_row 1, duplicate_id 1

duplicate_row: rows equal to the row before
duplicate_id: rows whose id occurred before

1 series: 1 available, 1 degraded, 1 missing, 0 pending, 1 corrupt
`;

test('prints a table, a calendar, degraded days and totals to stdout, and progress to stderr', async (t) => {
  const { dir, host } = await auditFolder(t);
  await writeDay(dir, 1);
  await writeDay(dir, 2, withDuplicate(createDayCsv(2)));
  const corrupt = await writeDay(dir, 4, Buffer.from('no gzip'));
  const { exitCode, stdout, stderr } = await runHere(['audit'], { env: host.env(dir) });
  assert.equal(stdout, TEXT);
  assert.match(stderr, /^3 files planned: 3 to read\n/);
  assert.ok(stderr.includes(`corrupt ${corrupt}: `));
  assert.match(stderr, /^1 available, 1 degraded, 1 missing, 1 corrupt in [\d.]+s$/m);
  assert.match(stderr, /^tickhaul download … --existing overwrite downloads bad files again$/m);
  assert.equal(exitCode, 6);
  const quiet = await runHere(['audit', '-q'], { env: host.env(dir) });
  assert.equal(quiet.stdout, '');
  assert.match(quiet.stderr, /^corrupt .*\n$/);
});

function createDay(date: string, condition: DayCondition, symbol = 'BTC-PERPETUAL'): AuditedDay {
  const names = { exchange: 'binance-futures', dataType: 'incremental_book_L2', symbol, date, path: date };
  const checks = {
    gap: { count: 3, seconds: 300, longest: { start: 0, seconds: 200 } },
    crossed: { count: 12_345, seconds: 4000, longest: null },
  };
  return { ...names, condition, reasons: ['gap', 'crossed', 'incident'], incidents: [{}], rows: 1e6, checks };
}

for (const columns of [40, 80, 200]) {
  test(`fits on a screen of ${columns} columns, and differs without colours too`, () => {
    const text = new AuditText();
    const conditions = ['available', 'degraded', 'missing', 'pending', 'corrupt'] as const;
    for (const [i, condition] of conditions.entries()) {
      text.add(createDay(`2023-12-${30 + Math.min(i, 1)}`, condition, `COIN${i}USDT-240329-65000-C`));
      text.add(createDay(`2024-01-0${i + 1}`, condition));
    }
    const plain = [...text.format({ columns, chalk: new Chalk({ level: 0 }) })].join('');
    for (const line of plain.split('\n')) assert.ok(textWidth(line) <= columns, line);
    assert.match(plain, /Jan ■▲×·!/);
    assert.match(plain.replace(/\s+/g, ' '), /gap 3 \(5m00s\), crossed 12,345 \(1h06m\), incident 1/);
    const colored = [...text.format({ columns, chalk: new Chalk({ level: 1 }) })].join('');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    assert.equal(colored.replace(/\u001b\[\d+m/g, ''), plain);
    assert.notEqual(colored, plain);
  });
}

test('the worst condition of several files of a day is shown', () => {
  const text = new AuditText();
  for (const condition of ['degraded', 'available'] as const) text.add(createDay('2024-01-01', condition));
  assert.match([...text.format({ columns: 80, chalk: new Chalk({ level: 0 }) })].join(''), /^ Jan ▲$/m);
});

test('the built command audits in threads, and again after it was killed', async (t) => {
  const { dir, env } = await auditFolder(t);
  for (let day = 1; day <= 8; day++) await writeDay(dir, day, createDayCsv(day, { rows: 3000, seed: day }));
  const killed = start(['audit', '--json', '-j', '2'], { env });
  await killed.printed('"event":"day"');
  killed.child.kill('SIGKILL');
  await killed.finished;
  const { stdout } = await succeeded(tickhaul(['audit', '--json', '-j', '2'], { env }));
  const days = stdout.split('\n').filter((line) => line.startsWith('{"event":"day"'));
  assert.equal(days.length, 8);
  const again = await auditHere(['-j', '1', '--recheck'], env);
  assert.deepEqual(
    days.map((line) => JSON.parse(line)),
    again.days,
  );
  const log = (await readFile(join(dir, '.tickhaul/audit.jsonl'), 'utf8')).trimEnd().split('\n');
  assert.equal(new Set(log.map((line) => (JSON.parse(line) as { path: string }).path)).size, 8);
});

test('two runs of shards of a folder keep the results of both', async (t) => {
  const { dir, env } = await auditFolder(t);
  for (let day = 1; day <= 8; day++) await writeDay(dir, day);
  const runs = ['0/2', '1/2'].map((shard) => tickhaul(['audit', '--json', '--shard', shard], { env }));
  for (const { exitCode, stderr } of await Promise.all(runs)) assert.equal(exitCode, 0, stderr);
  const { days, summary } = await auditHere([], env);
  assert.deepEqual([days.length, summary['bytes']], [8, 0]);
});

storeTest('audits objects of a store, and reads none of them twice', async (t) => {
  const [dir, host, bucket] = [await tempDir(t), await startRecordHost(t), await bucketFor(t)];
  host.records.set('deribit', createRecord());
  const location = `s3://${bucket.name}/data`;
  const env = { ...host.env(dir), ...bucket.envHere(), TICKHAUL_DIR: location };
  let total = 0;
  for (const day of [1, 2, 4]) {
    const path = await writeDay(dir, day, day === 2 ? withDuplicate(createDayCsv(day)) : createDayCsv(day));
    await bucket.write(`data/${path.slice(dir.length + 1)}`, await readFile(path));
    total += (await stat(path)).size;
  }
  const first = await auditHere([], env);
  assert.deepEqual(
    first.days.map(({ date, condition, path }) => [date.slice(8), condition, path]),
    [
      ['01', 'available', `${location}/deribit_trades_2024-03-01_BTC.csv.gz`],
      ['02', 'degraded', `${location}/deribit_trades_2024-03-02_BTC.csv.gz`],
      ['03', 'missing', null],
      ['04', 'available', `${location}/deribit_trades_2024-03-04_BTC.csv.gz`],
    ],
    first.stderr,
  );
  assert.equal(first.summary['bytes'], total);
  assert.equal((await bucket.keys()).filter((key) => key === 'data/.tickhaul/audit.jsonl').length, 1);
  const second = await auditHere([`${location}/`], env);
  assert.deepEqual([second.days, second.summary['bytes']], [first.days, 0]);
  const replaced = await readFile(await writeDay(dir, 4, createDayCsv(4, { rows: 40 })));
  await bucket.write('data/deribit_trades_2024-03-04_BTC.csv.gz', replaced);
  assert.equal((await auditHere([], env)).summary['bytes'], replaced.length);
});
