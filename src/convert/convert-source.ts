import { abortReason } from '../base/errors.js';
import { readSource } from '../integrity/source.js';
import { type ConversionInput, type Converted, startConversion } from './conversion.js';

/**
 * Converts a file on disk.
 * @param onBytes told of its compressed bytes as they are read.
 * @throws as `readSource` and `startConversion` do; what is wrong with the text comes before what is wrong behind it.
 */
export async function convertSource(
  input: ConversionInput,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<Converted> {
  const conversion = startConversion(input);
  const stop = (): void => conversion.stop(abortReason(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const read = await readSource(input.path, (text) => conversion.write(text), onBytes, signal).catch(
      async (error: unknown) => {
        await conversion.settle();
        throw error;
      },
    );
    return await conversion.finish(read);
  } finally {
    signal.removeEventListener('abort', stop);
    await conversion.abort();
  }
}
