import { BY_NAME, VERSIONS } from './vectors/by-name.js';
import { BY_LIST, CHANNELS } from './vectors/channels.js';
import type { Vector } from './vectors/vector.js';

export const VECTORS: readonly Vector[] = [
  ...BY_LIST,
  ...BY_NAME,
  ...CHANNELS,
  ...VERSIONS,
  ['bitfinex,bitfinex-derivatives', { event: 'subscribe', channel: 'trades', symbol: 'tBTCUSD' }],
];
