import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** GNU time: Node itself cannot tell what a child used. */
const TIME = '/usr/bin/time';

/**
 * Runs a program to its end.
 * @returns wall and CPU time (user and system, of all its processes) in seconds, and the peak resident memory
 *   in bytes of the largest of its processes. CPU and memory are undefined where GNU time is not installed.
 * @throws where it does not end with code 0.
 */
export async function measure([program, ...args], env = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'tickhaul-measure-'));
  const usage = join(folder, 'usage');
  try {
    const began = performance.now();
    const untimed = await run(TIME, ['-o', usage, '-f', '%U %S %M', program, ...args], env).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
      return run(program, args, env).then(() => true);
    });
    const wall = (performance.now() - began) / 1000;
    if (untimed) return { wall };
    const [user, system, kilobytes] = (await readFile(usage, 'utf8')).trim().split(' ').map(Number);
    return { wall, cpu: user + system, memory: kilobytes * 1024 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function run(program, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors = (errors + text).slice(-2000);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args.slice(0, 8).join(' ')} ended with ${code}:\n${errors}`));
    });
  });
}
