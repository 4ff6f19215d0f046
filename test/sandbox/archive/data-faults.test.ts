import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { DataFault } from '../../../src/sandbox/hosts/sandbox-faults.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js';
import { tempDir } from '../../helpers/temp.js';
import { fileUrl, get, KEY, parseCells, sandboxFor } from '../helpers.js';

const HOUR = 3_600_000_000;
const DAY = '2024/03/05';
const SYMBOL = 'BTC-PERPETUAL';
const BOOK_TYPES = ['incremental_book_L2', 'quotes', 'book_snapshot_5', 'book_snapshot_25'];
const OTHER_TYPES = ['trades', 'derivative_ticker', 'liquidations'];

interface Bodies {
  readonly clean: Buffer;
  readonly faulty: Buffer;
}

const cleanByType = new Map<string, Buffer>();

/** A file of Deribit from a service with the fault and from one without. */
async function fetchBoth(t: TestContext, fault: DataFault, dataType: string): Promise<Bodies> {
  const clean = cleanByType.get(dataType) ?? (await fetchFile(t, dataType, {}));
  cleanByType.set(dataType, clean);
  return { clean, faulty: await fetchFile(t, dataType, { [fault]: 1 }) };
}

async function fetchFile(
  t: TestContext,
  dataType: string,
  faults: SandboxOptions['faults'] & object,
): Promise<Buffer> {
  const sandbox = await sandboxFor(t, { rows: 2000, faults });
  const { body, headers } = await get(fileUrl(sandbox, 'deribit', dataType, DAY, SYMBOL), KEY);
  assert.equal(headers['x-md5'], `"${createHash('md5').update(body).digest('hex')}"`);
  assert.equal(headers['x-dataset-size'], String(body.length));
  return body;
}

const linesOf = (body: Buffer): string[] => gunzipSync(body).toString().trimEnd().split('\n');

/** The lines between the common start and the common end of two texts. */
function findDifference({ clean, faulty }: Bodies): { removed: string[]; added: string[] } {
  const [removed, added] = [linesOf(clean), linesOf(faulty)];
  while (removed.length > 0 && removed[0] === added[0])
    [removed, added].forEach((lines) => void lines.shift());
  while (removed.length > 0 && removed.at(-1) === added.at(-1))
    [removed, added].forEach((lines) => void lines.pop());
  return { removed, added };
}

/** The columns in which rows of the same number differ, with the clean and the faulty cells. */
function findChangedCells({ clean, faulty }: Bodies): Map<string, [clean: string, faulty: string][]> {
  const [cleanRows, faultyRows] = [parseCells(clean), parseCells(faulty)];
  assert.equal(faultyRows.length, cleanRows.length);
  const changed = new Map<string, [string, string][]>();
  for (const [i, row] of cleanRows.entries()) {
    for (const [column, cell] of row.entries()) {
      const other = faultyRows[i]?.[column] ?? '';
      const name = cleanRows[0]?.[column] ?? '';
      if (other !== cell) changed.set(name, [...(changed.get(name) ?? []), [cell, other]]);
    }
  }
  return changed;
}

const LOCAL_TIME = 3;
const timeOf = (line: string): number => Number(line.split(',')[LOCAL_TIME]);
/** Differences of consecutive local times, in microseconds. */
function intervalsOf(body: Buffer): number[] {
  const times = linesOf(body).slice(1).map(timeOf);
  return times.slice(1).map((time, i) => time - (times[i] ?? 0));
}

for (const dataType of [...BOOK_TYPES, ...OTHER_TYPES]) {
  test(`gap: ${dataType} lacks the rows of four hours, and no others`, async (t) => {
    const bodies = await fetchBoth(t, 'gap', dataType);
    const { removed, added } = findDifference(bodies);
    assert.deepEqual(added, []);
    assert.ok(removed.length > 20, `${removed.length} rows`);
    assert.ok(timeOf(removed.at(-1) ?? '') - timeOf(removed[0] ?? '') < 4 * HOUR);
    const [gap = 0, ...others] = intervalsOf(bodies.faulty).filter((us) => us >= 4 * HOUR);
    assert.ok(gap > 0 && gap < 4.5 * HOUR && others.length === 0, `${gap}, ${others}`);
  });

  test(`clock-step: local times of ${dataType} step back by an hour, and nothing else changes`, async (t) => {
    const bodies = await fetchBoth(t, 'clock-step', dataType);
    const changed = findChangedCells(bodies);
    assert.deepEqual([...changed.keys()], ['local_timestamp']);
    const cells = changed.get('local_timestamp') ?? [];
    assert.ok(cells.every(([clean, faulty]) => Number(clean) - Number(faulty) === HOUR));
    const times = cells.map(([clean]) => Number(clean));
    assert.ok(Math.max(...times) - Math.min(...times) < 4 * HOUR);
    assert.equal(intervalsOf(bodies.faulty).filter((us) => us < 0).length, 1);
  });
}

test('duplicate-trades: trades of four hours occur twice, and no others', async (t) => {
  const { clean, faulty } = await fetchBoth(t, 'duplicate-trades', 'trades');
  const rows = linesOf(faulty);
  assert.deepEqual([...new Set(rows)], linesOf(clean));
  const again = rows.filter((row, i) => rows.indexOf(row) < i);
  assert.equal(new Set(again).size, again.length, 'none occurs three times');
  const times = again.map(timeOf);
  const period = Math.max(...times) - Math.min(...times);
  assert.ok(again.length > 50 && period < 4 * HOUR, `${again.length} trades in ${period}`);
});

for (const dataType of BOOK_TYPES.slice(1)) {
  test(`crossed-book: ${dataType} has bids above the asks for four hours`, async (t) => {
    const bodies = await fetchBoth(t, 'crossed-book', dataType);
    const [bid, ask] =
      dataType === 'quotes'
        ? (['bid_price', 'ask_price'] as const)
        : (['bids[0].price', 'asks[0].price'] as const);
    const changed = findChangedCells(bodies);
    assert.deepEqual([...changed.keys()], [bid]);
    const [header = [], ...rows] = parseCells(bodies.faulty);
    const price = (row: readonly string[], side: string): number => Number(row[header.indexOf(side)]);
    const times = rows
      .filter((row) => price(row, bid) > price(row, ask))
      .map((row) => Number(row[LOCAL_TIME]));
    assert.equal(times.length, changed.get(bid)?.length);
    assert.ok(times.length > 50 && Math.max(...times) - Math.min(...times) < 4 * HOUR);
  });
}

test('crossed-book: a book gets a bid above the asks, and loses it four hours later', async (t) => {
  const bodies = await fetchBoth(t, 'crossed-book', 'incremental_book_L2');
  const { removed, added } = findDifference(bodies);
  assert.deepEqual(added.slice(1, -1), removed, 'only the first and the last row are added');
  const [first = '', last = ''] = [added[0], added.at(-1)];
  assert.match(first, /,false,bid,\d+(\.\d+)?,1$/);
  assert.match(last, /,false,bid,\d+(\.\d+)?,0$/);
  const hours = (timeOf(last) - timeOf(first)) / HOUR;
  assert.ok(hours > 3.5 && hours < 4.5, `${hours} hours`);
  for (const [name, body, isCrossed] of [
    ['clean', bodies.clean, false],
    ['faulty', bodies.faulty, true],
  ] as const) {
    assert.deepEqual([...findCrossedTimes(body)].length > 0, isCrossed, name);
  }
  const times = findCrossedTimes(bodies.faulty);
  assert.equal(times[0], timeOf(first));
  assert.ok((times.at(-1) ?? 0) < timeOf(last));
});

/** Local times at which a change leaves the best bid above the best ask. */
function findCrossedTimes(body: Buffer): number[] {
  const sides = { ask: new Map<number, number>(), bid: new Map<number, number>() };
  const rows = parseCells(body).slice(1);
  const times: number[] = [];
  for (const [i, [, , , time, isSnapshot, side, price, amount]] of rows.entries()) {
    const previous = rows[i - 1];
    if (isSnapshot === 'true' && (previous?.[4] !== 'true' || previous[LOCAL_TIME] !== time)) {
      sides.ask.clear();
      sides.bid.clear();
    }
    const levels = sides[side as 'ask' | 'bid'];
    if (Number(amount) === 0) levels.delete(Number(price));
    else levels.set(Number(price), Number(amount));
    const isLast = rows[i + 1]?.[LOCAL_TIME] !== time;
    if (isLast && Math.max(...sides.bid.keys()) > Math.min(...sides.ask.keys())) times.push(Number(time));
  }
  return times;
}

test('lost-snapshot: a book lacks its first snapshot, and nothing else', async (t) => {
  const bodies = await fetchBoth(t, 'lost-snapshot', 'incremental_book_L2');
  const { removed, added } = findDifference(bodies);
  assert.deepEqual(added, []);
  assert.equal(removed.length, 50);
  assert.ok(removed.every((line) => line.split(',')[4] === 'true'));
  assert.equal(parseCells(bodies.faulty)[1]?.[4], 'false');
});

test('a fault leaves files of other data types as they are', async (t) => {
  for (const [fault, dataTypes] of [
    ['duplicate-trades', [...BOOK_TYPES, 'derivative_ticker', 'liquidations']],
    ['crossed-book', OTHER_TYPES],
    ['lost-snapshot', [...BOOK_TYPES.slice(1), ...OTHER_TYPES]],
  ] as const) {
    const [clean, faulty] = [await sandboxFor(t), await sandboxFor(t, { faults: { [fault]: 1 } })];
    for (const dataType of dataTypes) {
      const [one, other] = await Promise.all(
        [clean, faulty].map((sandbox) => get(fileUrl(sandbox, 'deribit', dataType, DAY, SYMBOL), KEY)),
      );
      assert.deepEqual(other?.body, one?.body, `${fault} ${dataType}`);
    }
  }
});

/** Reads the `x-md5` of nine days' quotes, in the order of `days`. */
async function readMd5s(
  t: TestContext,
  options: SandboxOptions,
  days: readonly number[],
): Promise<readonly string[]> {
  const sandbox = await sandboxFor(t, options);
  const md5s = new Map<number, string>();
  for (const day of days) {
    const { headers } = await get(fileUrl(sandbox, 'deribit', 'quotes', `2024/03/0${day}`, SYMBOL), KEY);
    md5s.set(day, String(headers['x-md5']));
    if (!options.redirect) continue;
    const object = await get(String(headers['location']));
    assert.equal(object.headers['etag'], headers['x-md5']);
    assert.equal(headers['x-md5'], `"${createHash('md5').update(object.body).digest('hex')}"`);
  }
  return [...md5s].sort(([a], [b]) => a - b).map(([, md5]) => md5);
}

test('a share of the files has a fault: the same files and bytes for the same seed, in any order', async (t) => {
  const days = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const clean = await readMd5s(t, {}, days);
  const faults = { gap: 0.2, 'clock-step': 0.2 };
  const faulty = await readMd5s(t, { faults }, days);
  const hits = faulty.filter((md5, i) => md5 !== clean[i]).length;
  assert.ok(hits > 0 && hits < days.length, `${hits} files`);
  const order = [...days.toReversed(), ...days];
  assert.deepEqual(await readMd5s(t, { faults, redirect: true }, order), faulty);
  assert.deepEqual(await readMd5s(t, { faults: { ...faults, 'slow-start': 0.1 } }, days), faulty);
});

test('a folder of day files cannot have data faults', async (t) => {
  const dir = await tempDir(t);
  await assert.rejects(sandboxFor(t, { replayDir: dir, faults: { '500': 0.1, gap: 0.1 } }), {
    code: 'usage',
    message: 'fault "gap" applies to generated day files only; leave out --replay-dir',
  });
});
