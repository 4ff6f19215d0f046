import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { VERSION } from '../../src/base/packages.js';
import { envOf, failedWith, succeeded, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

test('the built command prints its version and help', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
  assert.equal((await tickhaul(['--version'])).stdout.trim(), version);
  const help = await succeeded(tickhaul(['--help']));
  assert.match(help.stdout, /^ {2}download /m);
});

const EXAMPLE = ['download', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT'];
const DAY = ['--date', '2024-03-01'];

/** Mistakes that are detected without the service, with a part of their message. */
const MISTAKES: readonly (readonly [readonly string[], RegExp])[] = [
  [['downlod'], /unknown command "downlod"; did you mean download\?/],
  [['downlod', '--help'], /unknown command (?:or topic )?"downlod"; did you mean download\?; see tickhaul/],
  [['-h', 'downlod'], /unknown command (?:or topic )?"downlod"; did you mean download\?; see tickhaul/],
  [['help', 'downlod', '--json'], /unknown command or topic "downlod"; did you mean download\?; see/],
  [['--json'], /no command given/],
  [['export'], /<target> is one of hftbacktest, nautilus, freqtrade; see tickhaul export --help/],
  [[...EXAMPLE, ...DAY, '--concurency', '3'], /unknown flag --concurency; did you mean --concurrency/],
  [['download'], /an argument is missing: tickhaul download <exchange>/],
  [[...EXAMPLE, ...DAY, '--stall-timeout', '10'], /--stall-timeout.*"10"|"10".*duration/],
  [[...EXAMPLE, ...DAY, '--stall-timeout', '600h'], /--stall-timeout: 600h is more than 24 days/],
  [['convert', '-'], /^tickhaul: -: no such file/],
  [['plan', '-t', 'trades', ...DAY], /an argument is missing: tickhaul plan <exchange>/],
  [[...EXAMPLE.with(0, 'plan'), ...DAY, '--pin', '-'], /--pin needs a file name/],
  [[...EXAMPLE, ...DAY, '--max-rate', 'fast'], /"fast" is not a size/],
  [[...EXAMPLE, ...DAY, '--max-rate', '20'], /"20" is 20 bytes per second; use at least 1000/],
  [[...EXAMPLE, ...DAY, '--last', '7d'], /--date.*--last|--last.*--date/],
  [[...EXAMPLE, '--last', 'week'], /--last/],
  [[...EXAMPLE, ...DAY, '-s', '@./no-such-file'], /no-such-file/],
  [[...EXAMPLE, ...DAY, '--api-url', 'api.tardis.dev'], /--api-url: "api\.tardis\.dev" is not an address/],
  [[...EXAMPLE, ...DAY, '--api-url', 'https://me:secret@host'], /user or a password/],
  [[...EXAMPLE, ...DAY, '--api-key-file', '/no/such/file'], /\/no\/such\/file/],
];

for (const [args, said] of MISTAKES) {
  test(`a mistake is one line, with code 2: tickhaul ${args.join(' ')}`, async (t) => {
    // The first one runs as a process; the others differ only in the message.
    const isBuilt = args === MISTAKES[0]?.[0];
    const done = isBuilt ? await tickhaul(args, { cwd: await tempDir(t) }) : await runHere(args);
    const { exitCode, stderr, stdout } = done;
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, said);
    assert.equal(stdout, '');
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.doesNotMatch(stderr, /secret/);
  });
}

test('reports mistakes that only the exchange’s record shows', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const said = async (...args: string[]): Promise<string> => {
    const { exitCode, stderr } = await runHere(['plan', ...args], { env });
    assert.equal(exitCode, 2, stderr);
    return stderr;
  };
  assert.match(
    await said('binance-futures', '-t', 'trades', '-s', 'BTCUSD', ...DAY),
    /did you mean .*BTCUSDT/,
  );
  assert.match(
    await said('binance-futures', '-t', 'trades', '-s', '../../x', ...DAY),
    /unknown symbol "\.\.\/\.\.\/x" on binance-futures; run tickhaul symbols binance-futures to list them\n/,
  );
  assert.match(
    await said('nope', '-t', 'trades', '-s', 'X', ...DAY),
    /unknown exchange "nope"; run tickhaul exchanges to list them\n/,
  );
});

test('exchanges, symbols and status print tables, or one JSON document', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const table = await runHere(['exchanges'], { env });
  assert.match(table.stdout, /^binance-futures +Binance/m);
  assert.equal(table.stderr, '');
  const list = JSON.parse((await runHere(['exchanges', '--json'], { env })).stdout);
  assert.ok(list.some((one: { id: string }) => one.id === 'deribit'));
  const one = JSON.parse((await runHere(['exchanges', 'deribit', '--json'], { env })).stdout);
  assert.equal(one.datasets.exportedUntil, '2024-03-10T00:00:00.000Z');
  const { option_summary, liquidation } = one.messages;
  assert.deepEqual(
    [option_summary, liquidation],
    [
      { feeds: true, live: true },
      { feeds: true, live: true },
    ],
  );
  assert.ok(list.every(({ messages }: { messages: object }) => 'trade' in messages));
  const symbols = await runHere(['symbols', 'binance-futures', '--symbol', 'btc*', '--json'], { env });
  assert.ok(JSON.parse(symbols.stdout).every((symbol: { id: string }) => symbol.id.startsWith('BTC')));
  const none = await runHere(['symbols', 'deribit', '--type', 'optionschain'], { env });
  assert.deepEqual([none.exitCode, /options_chain/.test(none.stderr)], [2, true]);
  for (const [flag, says] of [
    ['--type', 'data type "nope"; it has book_snapshot_25, .*, trades'],
    ['--symbol-type', 'symbol type "nope"; it has combo, option, perpetual'],
    ['--symbol', 'symbol "NOPE"; run tickhaul symbols deribit to list them'],
  ] as const) {
    const { exitCode, stderr } = await runHere(['symbols', 'deribit', flag, 'nope'], { env });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, new RegExp(`^tickhaul: unknown ${says}\n$`));
  }
  const status = await runHere(['status', 'deribit'], { env });
  assert.match(status.stdout, /2024-03-09/);
  const labels = ({ stdout }: { readonly stdout: string }): readonly string[] | null =>
    stdout.match(/^exported.*?(?= {2})/gm);
  assert.deepEqual(labels(status), ['exportedFrom', 'exportedUntil']);
  assert.deepEqual(labels(await runHere(['exchanges', 'deribit'], { env })), labels(status));
});

test('symbols accepts names and globs as arguments, and names globs that match nothing', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  const idsOf = async (...words: readonly string[]): Promise<readonly [readonly string[], string]> => {
    const { stdout, stderr } = await succeeded(runHere(['symbols', 'deribit', ...words, '--json'], { env }));
    return [(JSON.parse(stdout) as { readonly id: string }[]).map(({ id }) => id), stderr];
  };
  const both = [['BTC-PERPETUAL', 'ETH-PERPETUAL'], ''];
  assert.deepEqual(await idsOf('BTC-P*', 'eth/perpetual'), both);
  assert.deepEqual(await idsOf('btc-p*,ETH-PERPETUAL'), both);
  assert.deepEqual(await idsOf('BTC-P*', '-s', 'ETH-P*'), both);
  assert.deepEqual(await idsOf('-s', 'ETH-P*', 'BTC-P*'), both);
  assert.deepEqual(await idsOf('BTCC*', 'ETH-P*'), [
    ['ETH-PERPETUAL'],
    'warning no symbol on deribit matches "BTCC*"; did you mean BTC-*?\n',
  ]);
  assert.match((await idsOf('NOSUCH*'))[1], /^warning no symbol on deribit matches "NOSUCH\*"; see all/);
  assert.deepEqual(await idsOf('BTC-P*', '--on', '1999-01-01'), [
    [],
    'warning no symbol on deribit matches all filters\n',
  ]);
  const unknown = await runHere(['symbols', 'deribit', 'BTC-PERPETUL'], { env });
  assert.deepEqual([unknown.exitCode, /did you mean BTC-PERPETUAL/.test(unknown.stderr)], [2, true]);
});

test('version, -v, -V and --version print the version', async () => {
  for (const word of ['version', '-v', '-V', '--version'])
    assert.deepEqual(await runHere([word]), { exitCode: 0, stdout: `${VERSION}\n`, stderr: '' });
  assert.deepEqual(JSON.parse((await runHere(['version', '--json'])).stdout), { version: VERSION });
  const extra = await runHere(['version', 'now']);
  assert.deepEqual([extra.exitCode, /one argument too many/.test(extra.stderr)], [2, true]);
});

test('status --wait ends at once for an exported day, and with code 7 at its timeout', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  await succeeded(runHere(['status', 'deribit', '--wait', '--until', '2024-03-09'], { env }));
  const wait = [
    'status',
    'deribit',
    '--wait',
    '--until',
    '2024-03-10',
    '--interval',
    '50ms',
    '--timeout',
    '300ms',
  ];
  await failedWith(runHere(wait, { env }), 7, /2024-03-10/);
});

test('status requests the record again although it is cached', async (t) => {
  const { service, env } = await sandboxAndFolder(t);
  const asked = (): number => service.requests.filter(({ url }) => url.startsWith('/v1/exchanges')).length;
  await runHere(['plan', ...EXAMPLE.slice(1), ...DAY], { env });
  const before = asked();
  await runHere(['plan', ...EXAMPLE.slice(1), ...DAY], { env });
  assert.equal(asked(), before, 'a plan within the hour uses the copy');
  await runHere(['status', 'binance-futures'], { env });
  assert.equal(asked(), before + 1);
});

test('a closed pipe is a normal end', async (t) => {
  const service = await sandbox(t);
  const script = `"$0" "$1" symbols binance-futures | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await tickhaul([], {
    env: envOf(service, await tempDir(t)),
    command: ['bash', '-c', script, process.execPath],
  });
  assert.equal(stdout.trimEnd().split('\n').at(-1), '0');
  assert.equal(stderr, '');
});
