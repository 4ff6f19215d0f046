import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp, killAndWait } from '../helpers/clean-up.js';
import { STALLED, sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { inTerminal, NO_TERMINAL } from '../helpers/terminal.js';

/** The frames of bars in a terminal's output, as lists of lines. */
function framesOf(output: string): readonly (readonly string[])[] {
  return output
    .split('\u001b8')
    .slice(1)
    .map((frame) => (frame.split(/\r(?!\n)/, 1)[0] ?? '').split('\r\n'));
}

test('bars fit a terminal that becomes smaller, and leave its state unchanged', {
  skip: NO_TERMINAL,
}, async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { ...STALLED, rows: 20_000 });
  const { child, printed, finished } = inTerminal(
    `trap : INT
     stty rows 24 cols 100 -echo; stty -a > before
     { read key; stty rows 8 cols 40; } < /dev/tty &
     tickhaul download binance-futures -t trades,quotes -s BTCUSDT,ETHUSDT --last 4d
     echo left with $?
     stty rows 24 cols 100; stty -a | diff before - && echo as before`,
    dir,
    // Whatever their progress, bars without colours have the same form.
    { ...env, NO_COLOR: '1' },
  );
  cleanUp(t, () => killAndWait(child));
  await printed(/binance-futures_trades_\S+ +\[[ =]+\]/);
  child.stdin?.write('\n');
  await printed(/…\S+ \[[ =]{4,7}\]/);
  child.stdin?.end('\u0003');
  const { stdout } = await finished;
  // What follows the bars may be as wide as the terminal.
  const [bars = ''] = stdout.split(/part files cannot|interrupted \(SIGINT\)/, 1);
  const small = framesOf(bars.slice(bars.search(/0\/16(?: files)? +\[[ =]{4,7}\]/) - 2));
  assert.ok(small.length > 0);
  for (const lines of small) {
    assert.ok(lines.length < 8, lines.join('\n'));
    for (const line of lines) assert.ok([...line].length < 40, line);
  }
  assert.match(
    stdout,
    /interrupted \(SIGINT\)\r\n\S*✗\S* 16 unfinished in .*\r\nrun the same .*\r\nleft with 130\r\nas before\r\n$/,
  );
  // Neither the cursor nor line wrapping was switched off.
  assert.ok(!stdout.includes('\u001b[?'));
});

test('a second signal exits at once, and moves to a new line', {
  skip: NO_TERMINAL,
}, async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { ...STALLED, rows: 20_000 });
  const { child, printed, finished } = inTerminal(
    `stty rows 24 cols 100 -echo
     tickhaul download binance-futures -t trades,quotes -s BTCUSDT,ETHUSDT --last 4d & run=$!
     read key; pid=$(sed 's/.*"pid":\\([0-9]*\\).*/\\1/' .tickhaul/lock)
     kill -INT $pid; kill -TERM $pid
     wait $run; echo left with $?`,
    dir,
    { ...env, NO_COLOR: '1' },
  );
  cleanUp(t, () => killAndWait(child));
  await printed(/binance-futures_trades_\S+ +\[[ =]+\]/);
  child.stdin?.end('\n');
  const { stdout } = await finished;
  // The last redraw may have written lines further up only.
  assert.match(
    stdout.replaceAll('\u001b', 'ESC'),
    /binance-futures.*\]\s.*\r(?:ESC\[\dB)?\r\ntickhaul: (?:interrupted|terminated) \(SIG\w+\)\r\nleft with (130|143)\r\n$/,
  );
});

test('wraps an error between words at the width of a terminal; otherwise it is one line', {
  skip: NO_TERMINAL,
}, async (t) => {
  const dir = await tempDir(t);
  const { finished } = inTerminal(
    `stty rows 24 cols 40
     tickhaul convert no-such-folder-whose-name-is-longer-than-a-line.csv.gz
     tickhaul convert no-such-folder-whose-name-is-longer-than-a-line.csv.gz 2> plain; cat plain`,
    dir,
    {},
  );
  const { stdout } = await finished;
  const name = 'no-such-folder-whose-name-is-longer-than-a-line.csv.gz:';
  assert.equal(
    stdout,
    `tickhaul: ${name} no such file\r\nor folder\r\ntickhaul: ${name} no such file or folder\r\n`,
  );
});
