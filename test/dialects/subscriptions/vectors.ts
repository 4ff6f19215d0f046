import { BY_LIST } from './vectors/by-list.js';
import { BY_NAME } from './vectors/by-name.js';
import { CHANNELS } from './vectors/channels.js';
import type { Vector } from './vectors/vector.js';
import { VERSIONS } from './vectors/versions.js';

export const VECTORS: readonly Vector[] = [
  ...BY_LIST,
  ...BY_NAME,
  ...CHANNELS,
  ...VERSIONS,
  ['bitfinex,bitfinex-derivatives', { event: 'subscribe', channel: 'trades', symbol: 'tBTCUSD' }],
];
