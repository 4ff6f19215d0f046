import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { parseDay } from '../../src/day-files/day.js';
import { ClaimOrder } from '../../src/export/claim-order.js';
import type { ExportJob } from '../../src/export/export-target.js';

function job(symbol: string, place: string | undefined): ExportJob {
  const file = { exchange: 'bitmex', dataType: 'trades', symbol, day: parseDay('2024-03-01') };
  return { target: 'nautilus', key: symbol, place, sources: [{ path: symbol, file }], settings: {} };
}

test('a grouped symbol and symbols of one place start when the earlier ones of the other kind have ended', async () => {
  const order = new ClaimOrder();
  const started: string[] = [];
  const add = (name: string, symbol: string, place?: string): (() => void) => {
    const { start, end } = order.add(job(symbol, place));
    void start.then(() => started.push(name));
    return end;
  };
  const takeStarted = async (): Promise<readonly string[]> => {
    await setImmediate();
    return started.splice(0);
  };
  const endFirst = add('first', 'ETHUSD', 'day 1');
  const endSecond = add('second', 'SOLUSD', 'day 1');
  const endGroup = add('group', 'PERPETUALS', 'day 1');
  add('other group', 'FUTURES', 'day 2');
  add('last', 'XBTUSD', 'day 1');
  add('anywhere', 'PERPETUALS');
  assert.deepEqual((await takeStarted()).toSorted(), ['anywhere', 'first', 'other group', 'second']);
  endSecond();
  assert.deepEqual(await takeStarted(), []);
  endFirst();
  assert.deepEqual(await takeStarted(), ['group']);
  endGroup();
  assert.deepEqual(await takeStarted(), ['last']);
});
