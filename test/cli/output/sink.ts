import type { Screen } from '../../../src/cli/arguments/types.js';

/** A screen that keeps what is written to it. */
export function createSink(size: Omit<Screen, 'write'> = {}): Screen & { text(): string } {
  const written: string[] = [];
  return { ...size, write: (text: string) => written.push(text), text: () => written.join('') };
}
