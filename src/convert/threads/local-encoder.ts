import type { EncoderHost } from './encoder.js';

/** Encodes in this thread. What that takes is loaded when it is needed: another thread may do it. */
export const localEncoderHost: EncoderHost = {
  async open(schema, options) {
    const { createBatchEncoder } = await import('./batch-encoder.js');
    const encode = await createBatchEncoder(schema, options, 1);
    return { parallel: 1, encode: async (batch) => encode(batch) };
  },
  close: async () => {},
};
