import type { OutputScreen } from '../../../src/cli/output/text/screen.js';

/** A screen that records its output. */
export function createSink(size: Omit<OutputScreen, 'write'> = {}): OutputScreen & { text(): string } {
  const written: string[] = [];
  return { ...size, write: (text: string) => written.push(text), text: () => written.join('') };
}
