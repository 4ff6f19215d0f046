import { join } from 'node:path';
import { DAY } from '../rows/clock.js';
import { onTwo } from './convert-peers.js';
import { TICKHAUL } from './service.js';

/**
 * `download --convert` of one day file from the embedded service, and the same with two commands. Each starts without
 * a copy of the exchange's record.
 */
export function downloadPeers({ exchange, type, symbol }, { path, rows }, service) {
  const download = (folder) => [
    ...[process.execPath, TICKHAUL, 'download', exchange, '-t', type, '-s', symbol, '--date', DAY],
    ...['-o', folder, '--quiet'],
  ];
  const peer = (name, commandOf, leavesNothing) => ({
    name,
    rows,
    leavesNothing,
    command: async (folder) => [
      onTwo(commandOf(folder)),
      { ...service.env, XDG_CACHE_HOME: join(folder, '.cache') },
    ],
  });
  return [
    peer('download --convert parquet', (folder) => [...download(folder), '--convert', 'parquet']),
    peer('download', download, true),
    peer('convert', (folder) => [process.execPath, TICKHAUL, 'convert', path, '--out', folder, '--quiet']),
  ];
}
