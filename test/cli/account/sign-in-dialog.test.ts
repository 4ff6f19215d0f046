import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoginEvent } from '../../../src/account/sign-in-to-account.js';
import { createLoginReporter, type LoginOutput } from '../../../src/cli/commands/login.js';
import { createSink } from '../output/sink.js';

const waiting = (reason: string, waitMs: number): LoginEvent => ({
  event: 'waiting',
  reason,
  waitMs,
  message: `it is ${reason}`,
});

function reported(
  events: readonly (LoginEvent | number)[],
  more: Partial<LoginOutput> = {},
): { readonly stdout: string; readonly stderr: string } {
  const [stdout, stderr] = [createSink(), createSink()];
  let now = 0;
  const tell = createLoginReporter({
    stdout,
    stderr,
    email: 'jo@example.com',
    json: false,
    quiet: false,
    codePlace: undefined,
    drawLink: () => undefined,
    now: () => now,
    ...more,
  });
  for (const event of events) {
    if (typeof event === 'number') now += event;
    else tell(event);
  }
  return { stdout: stdout.text(), stderr: stderr.text() };
}

const LINK: LoginEvent = { event: 'verification', reason: 'first', uri: 'https://example.com/claim' };

test('shows the link with the e-mail, as a QR code if there is room', () => {
  assert.deepEqual(reported([{ event: 'registered' }, LINK], { drawLink: (uri) => `[${uri.length}]` }), {
    stdout: '',
    stderr:
      'Open this page and sign in as jo@example.com:\n  https://example.com/claim\n[25]\nIt shows a code.\n',
  });
});

test('quiet prints only the link', () => {
  const restart: LoginEvent = { event: 'restart', reason: 'claim_denied', message: 'it was denied' };
  const { stderr } = reported([{ event: 'stored' }, restart, waiting('slow', 5000), LINK], { quiet: true });
  assert.match(stderr, /^Open this page [^\n]+\n {2}https:[^\n]+\nIt shows a code\.\n$/);
  assert.match(reported([restart]).stderr, /^it was denied\nregistering again\n$/);
});

test('reports a wait once in ten seconds unless its reason changes, and never a short one', () => {
  const { stderr } = reported([
    waiting('slow', 2000),
    waiting('slow', 3000),
    9_999,
    waiting('slow', 4000),
    waiting('busy', 5000),
    waiting('odd', 999),
    10_000,
    waiting('busy', 6000),
  ]);
  assert.deepEqual(stderr.split('\n'), [
    'it is slow; retrying in 2.0s',
    'it is busy; retrying in 5.0s',
    'it is busy; retrying in 6.0s',
    '',
  ]);
});

test('JSON is one event per line on stdout', () => {
  const { stdout, stderr } = reported([LINK, waiting('slow', 10)], { json: true });
  assert.deepEqual(
    stdout.split('\n').map((text) => (text === '' ? '' : JSON.parse(text))),
    [LINK, waiting('slow', 10), ''],
  );
  assert.equal(stderr, '');
});
