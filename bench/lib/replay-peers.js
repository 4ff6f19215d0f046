import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DAY } from '../rows/clock.js';
import { onTwo } from './convert-peers.js';
import { TICKHAUL } from './service.js';

const run = promisify(execFile);
const DAY_AFTER = new Date(Date.parse(DAY) + 86_400_000).toISOString().slice(0, 10);

/**
 * Replays of each type to a pipe that `cat` reads, for `compare`.
 * @param place the result of `replayFolder`. @param kind its symbol is replayed; without it, all are.
 * @param messages number of source messages, whatever the output.
 */
export function replays({ env }, kind, types, messages) {
  return types.map((type) => ({
    name: type,
    rows: messages,
    command: async () => {
      const script = '"$@" | cat > /dev/null';
      return [onTwo(['bash', '-o', 'pipefail', '-ec', script, 'bash', ...replay(kind, type)]), env];
    },
  }));
}

/** Number of messages of a type. */
export async function messagesOf({ env }, kind, type) {
  const [program, ...args] = replay(kind, type, '--out', '/dev/null', '--json');
  const { stderr } = await run(program, args, { env: { PATH: process.env.PATH, ...env } });
  return JSON.parse(stderr.trim().split('\n').at(-1)).messages;
}

function replay({ exchange, symbol }, type, ...flags) {
  const named = symbol === undefined ? exchange : `${exchange}:${symbol}`;
  const range = ['--from', DAY, '--to', DAY_AFTER];
  return [
    process.execPath,
    TICKHAUL,
    'replay',
    named,
    '-t',
    type,
    ...range,
    '--offline',
    '--quiet',
    ...flags,
  ];
}
