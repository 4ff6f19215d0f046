import { type Conversion, startConversion } from '../../../src/convert/conversion.js';
import { createKernelThreads } from '../../../src/convert/threads/kernel-pool.js';
import { createLocalKernels, type KernelPool } from '../../../src/convert/threads/local-kernel.js';
import type { OutputOptions } from '../../../src/format/output-format.js';
import type { PartFile } from '../../../src/store/files.js';

export const SOURCE = { bytes: 1, md5: '0'.repeat(32) };

/** Creates kernels in a number of threads; 0 creates them in the calling thread. */
export function kernelsOf(threads: number): KernelPool {
  if (threads === 0) return createLocalKernels(false);
  return createKernelThreads({ kernelProcessors: threads, initialKernels: threads, maxKernels: threads });
}

export interface Output extends PartFile {
  readonly bytes: () => Buffer;
  readonly ended: () => 'published' | 'discarded' | undefined;
}

/** Creates an output in memory. @param onWrite called before each write; if it throws, the write fails. */
export function outputInMemory(onWrite: (bytes: Uint8Array) => Promise<void> = async () => {}): Output {
  const parts: Buffer[] = [];
  let ended: 'published' | 'discarded' | undefined;
  return {
    async write(bytes) {
      await onWrite(bytes);
      parts.push(Buffer.from(bytes));
    },
    publish: async () => {
      ended = 'published';
      return undefined;
    },
    discard: async () => {
      ended ??= 'discarded';
    },
    bytes: () => Buffer.concat(parts),
    ended: () => ended,
  };
}

export function begin(
  options: OutputOptions,
  kernels: KernelPool,
  output: PartFile,
  dataType = 'trades',
): Conversion {
  return startConversion({ path: 'day.csv.gz', dataType, options, output, kernels });
}

/** Converts text in chunks of a size. */
export async function convertText(
  csv: string | Buffer,
  options: OutputOptions,
  kernels: KernelPool,
  { chunk = 1 << 20, dataType = 'trades', output = outputInMemory() } = {},
): Promise<Buffer> {
  const conversion = begin(options, kernels, output, dataType);
  const text = typeof csv === 'string' ? Buffer.from(csv) : csv;
  try {
    for (let at = 0; at < text.length; at += chunk) await conversion.write(text.subarray(at, at + chunk));
    await conversion.finish(SOURCE);
    return output.bytes();
  } finally {
    await conversion.abort();
  }
}
