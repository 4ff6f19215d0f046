import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showWritten } from '../../../src/cli/output/message-output.js';
import { Emulator } from './emulator.js';

/** A terminal that reports writes. */
class WatchedTerminal extends Emulator {
  override write(text: string): boolean {
    super.write(text);
    return this.emit('written');
  }
}

for (const [columns, lines] of [
  [200, ['1.2M messages, 3.4 MB, 0 B/s']],
  [20, ['1.2M messages,', '3.4 MB, 0 B/s']],
] as const) {
  test(`shows what a replay has written in ${columns} columns, and then removes it`, async () => {
    const screen = new WatchedTerminal(columns, 10);
    screen.write('$ tickhaul replay\n');
    const drawn = new Promise((resolve) => screen.once('written', resolve));
    const line = showWritten(screen, { messages: 1_230_000, bytes: 3_400_000 });
    await drawn;
    const [prompt, ...shown] = screen.shown;
    assert.equal(prompt, '$ tickhaul replay');
    assert.deepEqual(
      shown.map((line) => line.replace(/[\d.]+ .?B\/s$/, '0 B/s')),
      lines,
    );
    line.close();
    assert.deepEqual(screen.shown, ['$ tickhaul replay']);
    assert.equal(screen.listenerCount('continue'), 0);
  });
}
