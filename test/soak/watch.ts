import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ask } from '../server/serving.js';

/** The resident memory of a process, in bytes (proc(5)). */
export async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes) * 1024;
}

/**
 * Open handles of a process, as sorted words: pipes, paths of files, sockets with the port of their peer.
 * @param pooled port of pooled connections, which are left out.
 */
export async function listHandles(pid: number, pooled: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const ports = await readPeerPorts(pid);
  const targets = (await readdir(folder)).map(async (name) => {
    const [, kind, inode = ''] = /^(.*?)(?::\[(\d+)\])?$/.exec(await readlink(join(folder, name))) ?? [];
    return ports.has(inode) ? `${kind} to ${ports.get(inode)}` : kind;
  });
  const words = await Promise.all(targets.map((target) => target.catch(() => undefined)));
  return words.filter((word) => word !== undefined && word !== `socket to ${pooled}`).sort() as string[];
}

/** Ports of TCP over IPv4, by inode. */
async function readPeerPorts(pid: number): Promise<ReadonlyMap<string, number>> {
  const rows = (await readFile(`/proc/${pid}/net/tcp`, 'latin1')).trim().split('\n').slice(1);
  return new Map(
    rows.map((row) => {
      const fields = row.trim().split(/\s+/);
      return [fields[9] ?? '', Number.parseInt(fields[2]?.split(':')[1] ?? '', 16)];
    }),
  );
}

/** Responses in progress and open connections of a server. */
export async function countOpen(port: number): Promise<number> {
  const { text } = await ask(port, '/metrics');
  const counts = [...text.matchAll(/^tickhaul_(?:http_answers|sockets)_open (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The median. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

/** The medians of the first and of the last third of the samples. */
export function medianOfThirds(numbers: readonly number[]): readonly [number, number] {
  const third = Math.ceil(numbers.length / 3);
  return [median(numbers.slice(0, third)), median(numbers.slice(-third))];
}
