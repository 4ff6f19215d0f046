import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { envOf, type Finished, start, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { EXPORTED_UNTIL } from '../helpers/sandbox.js';
import { workingDir } from '../helpers/temp.js';
import { createMarketSender, loopbackExchange, type Peer } from '../live/exchange.js';

/** An option that names an output file. */
export interface OutputOption {
  /** The command line before the name. */
  readonly words: readonly string[];
  readonly content: RegExp;
  readonly exitCode?: number;
  /** Whether the extension of the name selects a compression. */
  readonly isMessages?: boolean;
}

const DAY = ['--date', '2024-03-01'];
export const MINUTES = ['--from', '2024-03-01T00:00', '--to', '2024-03-01T00:10'];
export const OPTIONS: readonly OutputOption[] = [
  {
    words: ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade_bar_1m', ...DAY, '-o'],
    content: /^\{"type":"trade_bar".*\}\n$/s,
    isMessages: true,
  },
  {
    words: ['replay', 'bitmex:XBTUSD', '--channel', 'trade', ...MINUTES, '-o'],
    content: /^\{"localTimestamp":.*\}\n$/s,
    isMessages: true,
  },
  {
    words: ['replay', 'bitmex:XBTUSD', '-t', 'trade', '--source', 'feeds', ...MINUTES, '-o'],
    content: /^\{"type":"trade".*\}\n$/s,
    isMessages: true,
  },
  {
    words: ['stream', 'bitmex:XBTUSD', '-t', 'trade', '-o'],
    content: /^(?:\{"type":"trade".*\}\n){2}$/,
    isMessages: true,
  },
  { words: ['coverage', '--html'], content: /^<!doctype html>.*<\/html>\n$/is },
  { words: ['lock', '-o'], content: /BTC-PERPETUAL\.csv\.gz/ },
  { words: ['lock', '--format', 'sha256sum', '-o'], content: /^[0-9a-f]{64} .*BTC-PERPETUAL\.csv\.gz\n$/ },
  {
    words: ['plan', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', ...DAY, '--pin'],
    content: /^\{.*"sha256".*\}\n$/s,
  },
  {
    words: [
      ...['download', 'deribit', '-t', 'quotes', '-s', 'BTC-PERPETUAL', ...DAY, '--retries', '0'],
      ...['--datasets-url', 'http://127.0.0.1:1', '--failed-to'],
    ],
    content: /^\{"event":"file","status":"failed".*\}\n$/,
    exitCode: 5,
  },
];

export interface Place {
  /** An empty folder, the working folder of this process until the test ends. */
  readonly dir: string;
  /** Runs the command with this output name, in this process. */
  run(option: OutputOption, name: string): Promise<Finished>;
  /** Runs the built command with this output name. @param shell script that runs it, such as `"$0" "$@" | cat`. */
  runBuilt(option: OutputOption, name: string, shell: string): Promise<Finished>;
}

/** Environment of a service and a download folder with one day file. All tests of a file use the same. */
let prepared: Promise<Readonly<Record<string, string>>> | undefined;
const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

async function prepare(): Promise<Readonly<Record<string, string>>> {
  const service = await startSandbox({ exportedUntil: EXPORTED_UNTIL, rows: 20_000 });
  closing.push(() => service.close());
  const dir = await mkdtemp(join(tmpdir(), 'tickhaul-test-'));
  closing.push(() => rm(dir, { recursive: true }));
  const env = envOf(service, join(dir, 'data'));
  const download = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', ...DAY];
  await succeeded(runHere(download, { env }));
  return env;
}

/** The service, an exchange, the download folder, and an empty folder for outputs. */
export async function place(t: TestContext): Promise<Place> {
  prepared ??= prepare();
  const shared = await prepared;
  const dir = await workingDir(t);
  let end = (): void => {};
  const { url } = await loopbackExchange(t, {
    play: async (peer: Peer) => {
      await peer.nextMessage();
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      market.trade(1);
      market.trade(2);
      peer.socket.ping();
      await once(peer.socket, 'pong');
      end();
    },
  });
  const env = { ...shared, WSS_URL_BITMEX: url };
  return {
    dir,
    run({ words }, name) {
      const interrupt = new AbortController();
      end = () => interrupt.abort(new TickhaulError('interrupted', 'interrupted (SIGINT)'));
      return runHere([...words, name], { env, signal: interrupt.signal });
    },
    runBuilt({ words }, name, shell) {
      // exec replaces the shell by the command, so that signals reach it.
      const command = ['bash', '-c', shell, process.execPath];
      const { child, finished } = start([...words, name], { env, cwd: dir, command });
      end = () => void child.kill('SIGINT');
      return finished;
    },
  };
}
