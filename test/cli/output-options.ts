import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { envOf, type Finished, start, tickhaul } from '../helpers/cli.js';
import { busySandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
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
  /** An empty folder. */
  readonly dir: string;
  /** Runs the command with this output name. @param shell script that runs it, such as `"$0" "$@" | cat`. */
  run(option: OutputOption, name: string, shell?: string): Promise<Finished>;
}

/** A service and an exchange, a download folder with one day file, and an empty folder for outputs. */
export async function place(t: TestContext): Promise<Place> {
  const service = await busySandbox(t);
  const data = join(await tempDir(t), 'data');
  const dir = await tempDir(t);
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
  const env = { ...envOf(service, data), WSS_URL_BITMEX: url };
  const download = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', ...DAY];
  assert.equal((await tickhaul(download, { env })).exitCode, 0);
  return {
    dir,
    run({ words }, name, shell) {
      // exec replaces the shell by the command, so that signals reach it.
      const command = shell === undefined ? [process.execPath] : ['bash', '-c', shell, process.execPath];
      const { child, finished } = start([...words, name], { env, cwd: dir, command });
      end = () => void child.kill('SIGINT');
      return finished;
    },
  };
}
