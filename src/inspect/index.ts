import { stat } from 'node:fs/promises';
import { diskError, isSystemError, usageError } from '../base/errors.js';
import { dayFileOfName } from '../dataset/day-file-name.js';
import { inspectCsv } from './csv.js';
import type { Inspection } from './inspection.js';
import { inspectNdjson } from './ndjson.js';
import { inspectParquet } from './parquet.js';

export type { Cell, Gap, InspectedColumn, Inspection } from './inspection.js';

export interface InspectInput {
  readonly path: string;
  /** Of a CSV; undefined where name or header tell it. */
  readonly dataType?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Says what a `.csv.gz`, `.parquet` or `.ndjson` file (plain, `.gz`, `.zst`) holds.
 * @throws TickhaulError `usage` for another file or none, `corrupt`, `disk`.
 */
export async function inspectFile({ path, dataType, signal }: InspectInput): Promise<Inspection> {
  await assertFile(path);
  if (path.endsWith('.parquet')) return inspectParquet(path, signal);
  if (/\.ndjson(\.gz|\.zst)?$/.test(path)) return inspectNdjson(path, signal);
  if (path.endsWith('.gz')) return inspectCsv(path, dataType ?? dayFileOfName(path)?.dataType, signal);
  throw usageError(
    `${path}: not a kind of file that is known here: .csv.gz, .parquet, .ndjson, .ndjson.gz, .ndjson.zst`,
  );
}

async function assertFile(path: string): Promise<void> {
  try {
    if ((await stat(path)).isFile()) return;
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw diskError(error, path);
    throw usageError(`${path}: there is no such file`);
  }
  throw usageError(`${path}: not a file; name one file to inspect`);
}
