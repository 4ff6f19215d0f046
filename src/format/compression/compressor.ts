import { gzipSync } from 'node:zlib';
import type { Compress } from './compress.js';
import { compressSnappy } from './snappy.js';
import { loadZstd } from './zstd.js';

export type Compression = 'zstd' | 'snappy' | 'gzip' | 'none';

const GZIP_LEVEL = { fast: 4, small: 6 } as const;

/** The compressor of a name. It is loaded once, before the work, so that the work itself can be synchronous. */
export async function loadCompressor(compression: Compression): Promise<Compress> {
  switch (compression) {
    case 'zstd':
      return loadZstd();
    case 'snappy':
      return compressSnappy;
    case 'gzip':
      return (bytes, effort) => gzipSync(bytes, { level: GZIP_LEVEL[effort] });
    case 'none':
      return (bytes) => bytes;
  }
}
