import { TickhaulError } from '../../base/errors.js';
import { type GunzipPass, LARGE_TEXT_CHUNK, type TextSink } from '../gunzip.js';
import { giveKernelBack, takeKernel } from './kernel.js';
import { MemberInflater } from './member-inflater.js';

/**
 * As `startGunzip`, but in this thread, and in less of its time; and it throws an `InflateRefusal` where that
 * throws `corrupt`. A chunk of text is good until the sink's promise resolves.
 * @returns undefined where this Node runs no WebAssembly with SIMD.
 */
export function startInflate(onText: TextSink, chunkSize = LARGE_TEXT_CHUNK): GunzipPass | undefined {
  const kernel = takeKernel();
  if (!kernel) return undefined;
  const inflater = new MemberInflater(kernel, chunkSize);
  let failure: unknown;
  let isBusy = false;
  let isOver = false;

  const end = (reason: unknown): void => {
    failure ??= reason;
    if (isBusy || isOver) return;
    isOver = true;
    giveKernelBack(kernel);
  };
  return {
    async write(chunk) {
      if (failure !== undefined) throw failure;
      isBusy = true;
      try {
        for (const text of inflater.take(chunk)) {
          await onText(text);
          if (failure !== undefined) throw failure;
        }
      } catch (error) {
        failure ??= error;
        throw failure;
      } finally {
        isBusy = false;
        if (failure !== undefined) end(failure);
      }
    },
    async finish() {
      if (failure !== undefined) throw failure;
      inflater.finish();
    },
    destroy: () => end(new TickhaulError('interrupted', 'the check of a gzip stream was broken off')),
  };
}
