import { abortReason } from '../base/errors.js';
import type { TextSink } from '../integrity/gunzip.js';
import { type ConversionInput, type ConversionResult, startConversion } from './conversion.js';
import type { SourceContent } from './output/provenance.js';

/**
 * Converts a file.
 * @param read passes the text of the file to `onText`.
 * @throws errors of `read` and `startConversion`. An error in the text that was read takes precedence over an
 * error of `read`.
 */
export async function convertSource(
  input: ConversionInput,
  read: (onText: TextSink) => Promise<SourceContent>,
  signal: AbortSignal,
): Promise<ConversionResult> {
  const conversion = startConversion(input);
  const stop = (): void => conversion.stop(abortReason(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const source = await read((text) => conversion.write(text)).catch(async (error: unknown) => {
      await conversion.drain();
      throw error;
    });
    return await conversion.finish(source);
  } finally {
    signal.removeEventListener('abort', stop);
    await conversion.abort();
  }
}
