import { parentPort, workerData } from 'node:worker_threads';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { Order, Sight } from '../types.js';
import { examine } from './examine.js';

/** To a checking thread: files that it looks at one after the other. */
export interface BatchOrder {
  readonly id: number;
  readonly orders: readonly Order[];
}

/** From a checking thread. */
export type BatchAnswer =
  | { readonly answer: 'bytes'; readonly id: number; readonly index: number; readonly count: number }
  | { readonly answer: 'done'; readonly id: number; readonly sights: readonly Sight[] }
  | { readonly answer: 'bug'; readonly id: number; readonly error: unknown };

const files = openFiles(workerData as StoreSettings);
const answer = (message: BatchAnswer): void => parentPort?.postMessage(message);

parentPort?.on('message', async ({ id, orders }: BatchOrder) => {
  try {
    const sights: Sight[] = [];
    for (const [index, order] of orders.entries()) {
      // A batch of small files tells its bytes by its end.
      const onBytes = (count: number): void => {
        if (orders.length === 1) answer({ answer: 'bytes', id, index, count });
      };
      sights.push(await examine(order, onBytes, files));
    }
    answer({ answer: 'done', id, sights });
  } catch (error) {
    answer({ answer: 'bug', id, error });
  }
});
