import { isSystemError, TickhaulError } from '../../base/errors.js';
import type { ConvertOptions } from '../../format/convert-options.js';
import type { Files } from '../../store/files.js';
import { isMadeFrom, OUTPUT_BYTES_KEY, parseRows, type SourceIdentity } from './provenance.js';

export interface ExpectedOutput {
  readonly target: string;
  /** As the record has it; undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  readonly options: ConvertOptions;
  /** Record of the output, where the format itself has no room for one. */
  readonly provenance: Readonly<Record<string, string>> | undefined;
}

/**
 * The output that is there, where the same source gave it with the same options.
 * @param md5 asked for only where all else is the same.
 */
export async function findUpToDateOutput(
  files: Files,
  { target, dataType, options, provenance }: ExpectedOutput,
  source: Omit<SourceIdentity, 'md5'>,
  md5: () => Promise<string>,
  signal: AbortSignal,
): Promise<{ status: 'skipped'; rows: number; bytes: number } | undefined> {
  const found =
    options.format === 'parquet'
      ? await readParquetOutput(files, target, signal)
      : await readOutputWithNote(files, target, provenance, signal);
  if (!found) return undefined;
  const { bytes, pairs } = found;
  const isSame = await isMadeFrom(pairs, source, dataType, options, md5);
  return isSame ? { status: 'skipped', rows: parseRows(pairs), bytes } : undefined;
}

/** An output, and what it was made from. */
interface ExistingOutput {
  readonly bytes: number;
  readonly pairs: Readonly<Record<string, string>>;
}

/** Undefined where no Parquet file is: it is made anew then, whatever stands there. */
async function readParquetOutput(
  files: Files,
  path: string,
  signal: AbortSignal,
): Promise<ExistingOutput | undefined> {
  try {
    const file = await files.openRandom(path, signal);
    try {
      const { readParquetFooter } = await import('../../format/parquet/parquet-footer.js');
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
async function readOutputWithNote(
  files: Files,
  path: string,
  pairs: ExpectedOutput['provenance'],
  signal: AbortSignal,
): Promise<ExistingOutput | undefined> {
  if (!pairs) return undefined;
  const bytes = (await files.stat(path, signal).catch(() => undefined))?.bytes;
  return bytes !== undefined && pairs[OUTPUT_BYTES_KEY] === String(bytes) ? { bytes, pairs } : undefined;
}
