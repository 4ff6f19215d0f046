import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { auditFolder, auditHere, createDayCsv, withDuplicate, writeDay } from './auditing.js';

test('convert leaves out days that the last audit judged degraded, with a warning', async (t) => {
  const { dir, env } = await auditFolder(t);
  await writeDay(dir, 1);
  const degraded = await writeDay(dir, 2, withDuplicate(createDayCsv(2)));
  await writeDay(dir, 3);
  const convert = async (out: string, ...args: string[]) => {
    const { stdout, stderr } = await succeeded(
      runHere(['convert', dir, '--json', '-o', join(dir, out), '--skip-degraded', ...args], { env }),
    );
    const summary = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, number>;
    return { converted: summary['converted'], stderr };
  };
  assert.equal((await convert('a')).converted, 3, 'nothing was audited');
  await auditHere([], env);
  const { converted, stderr } = await convert('b');
  assert.equal(converted, 2);
  assert.equal(stderr, `warning skipping ${degraded}: degraded (duplicate_row, duplicate_id)\n`);
  await auditHere(['--degrade', 'gap'], env);
  assert.equal((await convert('c')).converted, 3, 'the last audit judged by other checks');
  await auditHere([], env);
  assert.equal((await convert('d')).converted, 2);
  const rows = await runHere(['convert', dir, '-o', '-', '--skip-degraded'], { env });
  assert.equal(rows.stdout.trimEnd().split('\n').length, 100);
  await writeDay(dir, 2, createDayCsv(2, { rows: 70 }));
  assert.equal((await convert('e')).converted, 3, 'the file changed since its audit');
});

test('coverage shows the days that the last audit judged degraded', async (t) => {
  const { dir, env } = await auditFolder(t);
  for (const day of [1, 2, 3, 4]) await writeDay(dir, day, withDuplicate(createDayCsv(day)));
  await writeDay(dir, 3);
  await runHere(['verify', '--adopt'], { env });
  const json = async () => {
    const { stdout } = await runHere(['coverage', '--json'], { env });
    return JSON.parse(stdout) as { totals: Record<string, number>; series: Record<string, unknown>[] };
  };
  const before = await json();
  assert.equal(before.totals['audited'], undefined);
  assert.equal(before.series[0]?.['degradedDays'], undefined);
  await auditHere([], env);
  const { totals, series } = await json();
  assert.deepEqual([totals['audited'], totals['degraded'], totals['present']], [4, 3, 4]);
  assert.deepEqual(series[0]?.['degradedDays'], [
    { from: '2024-03-01', to: '2024-03-03' },
    { from: '2024-03-04', to: '2024-03-05' },
  ]);
  const { stdout } = await runHere(['coverage'], { env });
  assert.match(stdout, /^■ present {3}○ empty \(no rows\) {3}× missing {3}▲ degraded$/m);
  assert.match(stdout, /^ Mar ▲▲■▲$/m);
  assert.match(stdout, /^4 days audited, 3 of them degraded$/m);
});
