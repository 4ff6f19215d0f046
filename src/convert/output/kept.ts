import { isSystemError, TickhaulError } from '../../base/errors.js';
import type { ConvertOptions } from '../../format/options.js';
import type { Files } from '../../store/files.js';
import { isMadeFrom, OUTPUT_BYTES, rowsOf, type SourceIdentity } from './record.js';

export interface MaybeKept {
  readonly target: string;
  /** As the record has it; undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  readonly options: ConvertOptions;
  /** Record of the output, where the format itself has no room for one. */
  readonly noted: Readonly<Record<string, string>> | undefined;
}

/**
 * The output that is there, where the same source gave it with the same options.
 * @param md5 asked for only where all else is the same.
 */
export async function keptOutput(
  files: Files,
  { target, dataType, options, noted }: MaybeKept,
  source: Omit<SourceIdentity, 'md5'>,
  md5: () => Promise<string>,
  signal: AbortSignal,
): Promise<{ status: 'skipped'; rows: number; bytes: number } | undefined> {
  const found =
    options.format === 'parquet'
      ? await parquetOutput(files, target, signal)
      : await notedOutput(files, target, noted, signal);
  if (!found) return undefined;
  const { bytes, pairs } = found;
  const isSame = await isMadeFrom(pairs, source, dataType, options, md5);
  return isSame ? { status: 'skipped', rows: rowsOf(pairs), bytes } : undefined;
}

/** An output, and what it was made from. */
interface Found {
  readonly bytes: number;
  readonly pairs: Readonly<Record<string, string>>;
}

/** Undefined where no Parquet file is: it is made anew then, whatever stands there. */
async function parquetOutput(files: Files, path: string, signal: AbortSignal): Promise<Found | undefined> {
  try {
    const file = await files.openRandom(path, signal);
    try {
      const { readParquetFooter } = await import('../../format/parquet/footer.js');
      // One that is cut has no footer.
      const { keyValues } = await readParquetFooter(file, path);
      return { bytes: file.bytes, pairs: keyValues };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof TickhaulError || isSystemError(error)) return undefined;
    throw error;
  }
}

/** Of any other, the size tells whether it is cut. */
async function notedOutput(
  files: Files,
  path: string,
  pairs: MaybeKept['noted'],
  signal: AbortSignal,
): Promise<Found | undefined> {
  if (!pairs) return undefined;
  const bytes = (await files.look(path, signal).catch(() => undefined))?.bytes;
  return bytes !== undefined && pairs[OUTPUT_BYTES] === String(bytes) ? { bytes, pairs } : undefined;
}
