import { isSystemError, TickhaulError } from '../../base/errors.js';
import type { OutputFormat } from '../../format/output-format.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { OutputOptions } from '../../format/output-options.js';
import type { Files } from '../../store/files.js';
import { isUpToDate, OUTPUT_BYTES_KEY, parseRowCount, type SourceIdentity } from './provenance.js';

export interface ExpectedOutput {
  readonly target: string;
  /** Data type or computed type; undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  readonly options: OutputOptions;
  /** Provenance record of an existing output whose format has no metadata. */
  readonly provenance: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the existing output if it is up to date.
 * @param md5 called only if all else matches.
 */
export async function findUpToDateOutput(
  files: Files,
  { target, dataType, options, provenance }: ExpectedOutput,
  source: Omit<SourceIdentity, 'md5'>,
  md5: () => Promise<string>,
  signal: AbortSignal,
): Promise<{ status: 'skipped'; rows: number; bytes: number } | undefined> {
  const format = OUTPUT_FORMATS[options.format];
  const found = format.hasMetadata
    ? await readOutputMetadata(format, files, target, signal)
    : await readOutputWithNote(files, target, provenance, signal);
  if (!found) return undefined;
  const { bytes, pairs } = found;
  const isSame = await isUpToDate(pairs, source, dataType, options, md5);
  return isSame ? { status: 'skipped', rows: parseRowCount(pairs), bytes } : undefined;
}

/** An existing output and its provenance record. */
interface ExistingOutput {
  readonly bytes: number;
  readonly pairs: Readonly<Record<string, string>>;
}

/** Undefined if there is no readable file of the format; it is then written again. */
async function readOutputMetadata(
  format: OutputFormat,
  files: Files,
  path: string,
  signal: AbortSignal,
): Promise<ExistingOutput | undefined> {
  try {
    const { bytes, keyValues } = await format.readFacts(path, files, signal);
    return keyValues && { bytes, pairs: keyValues };
  } catch (error) {
    if (error instanceof TickhaulError || isSystemError(error)) return undefined;
    throw error;
  }
}

/** Without metadata, the size shows whether the output is complete. */
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
