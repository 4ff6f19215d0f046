import { abortReason } from '../base/errors.js';
import type { TextSink } from '../integrity/gunzip.js';
import { type ConversionInput, type Converted, startConversion } from './conversion.js';
import type { SourceBytes } from './output/record.js';

/**
 * Converts a file.
 * @param read gives its text, and tells of it.
 * @throws what `read` throws, and as `startConversion` does; what is wrong with the text comes before what is wrong
 * behind it.
 */
export async function convertSource(
  input: ConversionInput,
  read: (onText: TextSink) => Promise<SourceBytes>,
  signal: AbortSignal,
): Promise<Converted> {
  const conversion = startConversion(input);
  const stop = (): void => conversion.stop(abortReason(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const source = await read((text) => conversion.write(text)).catch(async (error: unknown) => {
      await conversion.settle();
      throw error;
    });
    return await conversion.finish(source);
  } finally {
    signal.removeEventListener('abort', stop);
    await conversion.abort();
  }
}
