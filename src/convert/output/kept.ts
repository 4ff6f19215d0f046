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
): Promise<{ status: 'skipped'; rows: number; bytes: number } | undefined> {
  if (options.format !== 'parquet' && !noted) return undefined;
  const bytes = (await files.look(target).catch(() => undefined))?.bytes;
  if (bytes === undefined) return undefined;
  const pairs = options.format === 'parquet' ? await parquetRecord(files, target) : noted;
  if (!pairs) return undefined;
  // A Parquet file that is cut has no footer; of any other, the size tells.
  if (options.format !== 'parquet' && pairs[OUTPUT_BYTES] !== String(bytes)) return undefined;
  const isSame = await isMadeFrom(pairs, source, dataType, options, md5);
  return isSame ? { status: 'skipped', rows: rowsOf(pairs), bytes } : undefined;
}

/** Undefined where no Parquet file is: it is made anew then, whatever stands there. */
async function parquetRecord(
  files: Files,
  path: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { readParquetFooter } = await import('../../format/parquet/footer.js');
  try {
    const file = await files.openRandom(path);
    const { keyValues } = await readParquetFooter(file, path).finally(() => file.close());
    return keyValues;
  } catch (error) {
    if (error instanceof TickhaulError || isSystemError(error)) return undefined;
    throw error;
  }
}
