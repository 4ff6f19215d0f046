import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TextAudit } from '../../src/audit/audit-file.js';
import type { RowAuditResult } from '../../src/audit/audit-log.js';
import type { CheckThresholds } from '../../src/audit/content-check.js';
import { CONTENT_CHECKS } from '../../src/audit/content-checks.js';
import { resolveChecks } from '../../src/audit/judge-day.js';
import { DATA_TYPES, dataTypeColumns } from '../../src/day-files/data-types.js';
import { parseDay } from '../../src/day-files/day.js';
import { parseDayFileName } from '../../src/day-files/day-file.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../helpers/samples.js';
import { rounds } from '../helpers/services.js';
import { slowChecks, slowLatencies } from './slow-audit.js';
import type { SlowInput, TextRow } from './slow-rows.js';
import { createRandom, DATE, DAY_START, makeUpRows, parseTextRows, toCsv } from './text-rows.js';

const DEFAULTS: CheckThresholds = { gapMs: 60_000, jump: 0.1 };

/** Audits text in chunks of random sizes; each chunk ends a batch. */
function audit(
  csv: string,
  dataType: string,
  { seed = 1, date = DATE, ...thresholds }: Partial<CheckThresholds> & { seed?: number; date?: string } = {},
): RowAuditResult {
  const random = createRandom(seed);
  const file = { exchange: 'deribit', dataType, symbol: 'BTC', day: parseDay(date) };
  const audited = new TextAudit({ path: 'x.csv.gz', file, thresholds: { ...DEFAULTS, ...thresholds } });
  const text = Buffer.from(csv);
  for (let at = 0; at < text.length; ) {
    const length = Math.ceil(random() * random() * 20_000);
    audited.push(Buffer.from(text.subarray(at, at + length)));
    at += length;
  }
  return audited.end();
}

/** Compares an audit with the slow one. @returns the names of the checks that counted something. */
function compare(
  rows: readonly TextRow[],
  dataType: string,
  input: Partial<SlowInput> & { seed?: number } = {},
): readonly string[] {
  const columns = input.columns ?? (dataTypeColumns(dataType) ?? []).map(({ name }) => name);
  const { gapMs = DEFAULTS.gapMs, jump = DEFAULTS.jump, seed = 1, since, to, combos = [] } = input;
  const result = audit(toCsv(columns, rows), dataType, { gapMs, jump, seed });
  const facts = {
    availableSince: since,
    availableTo: to,
    isCombo: (symbol: string) => combos.includes(symbol),
  };
  const checks = resolveChecks({ ...result, gapMs, jump }, facts);
  const expected = slowChecks({ dayStart: DAY_START, gapMs, jump, ...input, dataType, columns, rows });
  assert.deepEqual(withoutUndefined(checks), withoutUndefined(expected));
  assert.deepEqual(Object.keys(checks), Object.keys(expected));
  compareFacts(result, rows);
  return Object.entries(checks).flatMap(([name, { count }]) => (count ? [name] : []));
}

function withoutUndefined(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

function compareFacts(result: RowAuditResult, rows: readonly TextRow[]): void {
  const times = rows.map((row) => row['local_timestamp']).filter((text) => text !== '');
  const timeAt = (at: number): number | null => (times.length > 0 ? Number(times.at(at)) : null);
  assert.equal(result.rows, rows.length);
  assert.equal(result.symbols, new Set(rows.map((row) => row['symbol']).filter((text) => text !== '')).size);
  assert.equal(result.firstLocalTimestamp, timeAt(0));
  assert.equal(result.lastLocalTimestamp, timeAt(-1));
  const latencies = slowLatencies(rows);
  const found = result.latencyMicroseconds;
  if (latencies.length === 0) {
    assert.equal(found, null);
    return;
  }
  assert.equal(found?.max, latencies.at(-1));
  for (const percent of [50, 99] as const) {
    const exact = latencies[Math.ceil((percent * latencies.length) / 100) - 1] as number;
    const value = found?.[`p${percent}`] as number;
    assert.ok(Math.abs(value - exact) <= Math.abs(exact) / 100, `p${percent} is ${value}, not ${exact}`);
  }
}

test('the time before a first row at noon is a gap', () => {
  const atNoon = (time = ''): string => String(Number(time) + 43_200_000_000);
  const rows = makeUpRows({ dataType: 'trades', rows: 250, seed: 1, faults: 0 }).map((row) => ({
    ...row,
    timestamp: atNoon(row['timestamp']),
    local_timestamp: atNoon(row['local_timestamp']),
  }));
  assert.ok(compare(rows, 'trades').includes('gap'));
});

for (const dataType of DATA_TYPES) {
  test(`finds the same faults in ${dataType} as a slow audit`, () => {
    const counting = new Set<string>();
    for (let seed = 1; seed <= 60; seed++) {
      const faults = [0, 0.02, 0.2][seed % 3] as number;
      const rows = makeUpRows({ dataType, rows: [0, 1, 30, 250][seed % 4] as number, seed, faults });
      for (const name of compare(rows, dataType, { seed })) counting.add(name);
      if (seed > rounds(60)) continue;
      const gapMs = [0, 500, 60_000, 7_200_000][seed % 4] as number;
      const since = DAY_START + 5_000_000_000 * (seed % 5);
      compare(rows, dataType, { seed, gapMs, jump: 0.005, since, combos: ['BTC'] });
      compare(rows, dataType, { seed, gapMs, since: DAY_START - 1e9, to: DAY_START + 60_000_000_000 });
      compare(rows, dataType, { seed, gapMs, since: DAY_START + 86_400_000_000, to: DAY_START - 1 });
    }
    const applying = CONTENT_CHECKS.filter(({ appliesTo }) => appliesTo(dataType));
    assert.deepEqual(
      applying.filter(({ name }) => !counting.has(name)).map(({ name }) => name),
      [],
      'each check finds faults that were planted',
    );
  });
}

for (const name of SAMPLES) {
  test(`finds the same faults in the sample ${name} as a slow audit`, { skip: NO_SAMPLES }, () => {
    const file = parseDayFileName(`${name}.gz`);
    assert.ok(file);
    const { columns, rows } = parseTextRows(readFileSync(join(SAMPLES_DIR, name), 'utf8'));
    const { dataType, day } = file;
    const dayStart = day * 86_400_000_000;
    // The slow audit is quadratic.
    const some = rows.slice(0, 1500);
    const date = name.split('_').find((part) => /^\d{4}-/.test(part)) as string;
    const result = audit(toCsv(columns, some), dataType, { date });
    const expected = slowChecks({ dayStart, ...DEFAULTS, dataType, columns, rows: some });
    const checks = resolveChecks({ ...result, ...DEFAULTS }, { isCombo: () => false });
    assert.deepEqual(withoutUndefined(checks), withoutUndefined(expected));
    compareFacts(result, some);
  });
}
