import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LiveLines } from '../../../src/cli/output/live-lines.js';
import { showWritten } from '../../../src/cli/output/message-output.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { Emulator } from './emulator.js';

/** A terminal that keeps each text written to it. */
class RecordingTerminal extends Emulator {
  writes: string[] = [];

  override write(text: string): boolean {
    this.writes.push(text);
    return super.write(text);
  }
}

/** Draws lines on a screen. @returns the lines, and a function that waits for a redraw and returns what it wrote. */
function begin(t: TestContext, draw: () => readonly string[]) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const screen = new RecordingTerminal(40, 10);
  const live = new LiveLines(screen, draw);
  cleanUp(t, () => live.close());
  live.open();
  const redraw = async (): Promise<readonly string[]> => {
    screen.writes = [];
    t.mock.timers.tick(200);
    await nextTurn();
    return screen.writes;
  };
  return { screen, live, redraw };
}

test('a redraw writes only the lines that have changed, and all of them after other text', async (t) => {
  let lines = ['total 0', 'first 0', 'second 0'];
  const { screen, live, redraw } = begin(t, () => lines);
  await redraw();
  assert.deepEqual(screen.shown, lines);
  assert.deepEqual(await redraw(), []);

  lines = ['total 1', 'first 0', 'second 0'];
  const [patch = '', ...others] = await redraw();
  assert.deepEqual(others, []);
  assert.ok(patch.includes('total 1') && !/first|second/.test(patch), JSON.stringify(patch));
  assert.deepEqual(screen.shown, lines);
  lines = ['total 2', 'first 0', 'second 1'];
  await redraw();
  assert.deepEqual(screen.shown, lines);

  live.print('a warning\n');
  await redraw();
  assert.deepEqual(screen.shown, ['a warning', ...lines]);
  lines = ['total 2'];
  await redraw();
  assert.deepEqual(screen.shown, ['a warning', 'total 2']);
  live.close();
  assert.deepEqual(screen.shown, ['a warning']);
});

test('lines that the user’s Enter has moved are whole again after some redraws', async (t) => {
  let count = 0;
  const { screen, redraw } = begin(t, () => ['head', `count ${count++}`, 'foot']);
  await redraw();
  screen.write('\n');
  for (let i = 0; i < 25; i++) await redraw();
  assert.deepEqual(screen.shown.slice(-3), ['head', `count ${count - 1}`, 'foot']);
});

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
