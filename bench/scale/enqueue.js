import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { fromDist } from '../lib/engine.js';
import { measure } from '../lib/measure.js';
import { startService, TICKHAUL } from '../lib/service.js';
import { median, table } from '../lib/table.js';
import { startRedis } from './redis.js';

const FROM = '2019-01-01';
const TO = '2024-01-01';
const MONTHS = 60;
const SYMBOLS = 2000;

/** Adds slices of five years from a pinned plan to an empty queue: the rate, and the memory of Redis per slice. */
export async function enqueueSection(scratch, cleanUp, { rounds, scale, onRun }) {
  const redis = await startRedis(scratch);
  cleanUp(redis.stop);
  const client = new Redis(redis.url);
  cleanUp(() => client.disconnect());
  const service = await startService();
  cleanUp(service.stop);
  const symbols = Math.max(1, Math.round(SYMBOLS * scale));
  const plan = join(scratch, 'plan.json');
  const { formatPin } = await fromDist('download/plan/pinned-plan.js');
  await writeFile(plan, [...formatPin(pinOf(symbols))].join(''));
  const slices = symbols * MONTHS;
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    await client.flushall();
    const before = await heldBy(client);
    const dir = join(scratch, `data ${round}`);
    const command = [process.execPath, TICKHAUL, 'enqueue', '--pinned', plan, '--dir', dir, '--quiet'];
    const one = await measure(command, { ...service.env, ...redis.env }, join(scratch, 'usage'));
    onRun({ name: 'enqueue' }, round, one);
    const waiting = await client.llen('bull:tickhaul:wait');
    if (waiting !== slices) throw new Error(`${waiting} slices wait, not ${slices}`);
    measured.push({ ...one, held: (await heldBy(client)) - before });
  }
  const middle = (figure) => median(measured.map((one) => one[figure]));
  const rows = table([
    ['', 'slices/s', 'wall s', 'CPU s', 'peak MB', 'bytes a slice in Redis'],
    [
      'enqueue --pinned',
      Math.round(slices / middle('wall')).toLocaleString('en'),
      middle('wall').toFixed(2),
      middle('cpu').toFixed(2),
      (middle('memory') / 1e6).toFixed(0),
      Math.round(middle('held') / slices).toLocaleString('en'),
    ],
  ]);
  return `${slices.toLocaleString('en')} slices of a month, of a pinned plan\n\n${rows}`;
}

async function heldBy(client) {
  return Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))[1]);
}

function pinOf(count) {
  const times = { availableSince: `${FROM}T00:00:00.000Z`, availableTo: `${TO}T00:00:00.000Z` };
  const symbols = Array.from({ length: count }, (_, at) => ({
    id: `COIN${at}USDT`,
    type: 'perpetual',
    ...times,
    dataTypes: ['trades'],
  }));
  return {
    selection: {
      ...{ exchange: 'made-up', types: ['trades'], symbols: ['all'], from: FROM, to: TO },
      layout: 'hive',
    },
    record: {
      id: 'made-up',
      datasets: { exportedFrom: times.availableSince, exportedUntil: times.availableTo, symbols },
    },
  };
}
