import { gzipSync } from 'node:zlib';
import type { COMPRESSIONS } from '../../base/output-format-names.js';
import type { Compress } from './compress.js';
import { loadLz4 } from './lz4.js';
import { loadSnappy } from './snappy.js';
import { loadZstd } from './zstd.js';

export type Compression = (typeof COMPRESSIONS)[number];

const GZIP_LEVEL = { fast: 4, small: 6 } as const;

/** Loads a compressor, so that compressing is synchronous. */
export async function loadCompressor(compression: Compression): Promise<Compress> {
  switch (compression) {
    case 'zstd':
      return loadZstd();
    case 'snappy':
      return loadSnappy();
    case 'gzip':
      return (bytes, effort) => gzipSync(bytes, { level: GZIP_LEVEL[effort] });
    case 'lz4':
      return loadLz4();
    case 'none':
      return (bytes) => bytes;
  }
}
