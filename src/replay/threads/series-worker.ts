import { parentPort, workerData } from 'node:worker_threads';
import { Queue } from '../../base/queue.js';
import { LineBuffer } from '../../market/lines/line-buffer.js';
import type { Period } from '../../market/trade-bars.js';
import { lineBuffers, makeLines, shareReading } from '../series-lines.js';
import type { ReadingSizes, ReplaySeries } from '../types.js';
import { giveLines, type UsedLines } from './give-lines.js';

export interface SeriesTask {
  readonly series: readonly ReplaySeries[];
  readonly period: Period;
  readonly sizes: ReadingSizes;
}

const { series: all, period, sizes } = workerData as SeriesTask;
const reading = shareReading(sizes);
const inputs = all.map((series) => ({ series, free: new Queue<LineBuffer>(lineBuffers(sizes)) }));
// The thread is ended from outside.
const { signal } = new AbortController();

parentPort?.on('message', ({ at, lines }: UsedLines) => inputs[at]?.free.push(new LineBuffer(lines)));
for (const [at, { series, free }] of inputs.entries()) {
  void giveLines({ at, free, make: (exchange) => makeLines(series, period, reading, exchange, signal) });
}
