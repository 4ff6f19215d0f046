import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** GNU time, since Node cannot measure a child process. */
const TIME = '/usr/bin/time';

let running;

/**
 * Runs a program to its end.
 * @param usage path of a file for the output of GNU time.
 * @returns wall and CPU time (user and system, of all its processes) in seconds, and the peak resident memory
 *   in bytes of the largest of its processes. CPU and memory are undefined without GNU time.
 * @throws if it does not end with code 0.
 */
export async function measure([program, ...args], env, usage) {
  const began = performance.now();
  const timed = await run(TIME, ['-o', usage, '-f', '%U %S %M', program, ...args], env).then(
    () => true,
    async (error) => {
      if (error.code !== 'ENOENT') throw error;
      await run(program, args, env);
      return false;
    },
  );
  const wall = (performance.now() - began) / 1000;
  if (!timed) return { wall };
  const [user, system, kilobytes] = (await readFile(usage, 'utf8')).trim().split(' ').map(Number);
  return { wall, cpu: user + system, memory: kilobytes * 1024 };
}

/** Stops the measured program, with all its processes. */
export function breakOff() {
  if (running?.exitCode === null) process.kill(-running.pid);
}

function run(program, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      // A separate process group, so that all of it can be stopped.
      detached: true,
    });
    running = child;
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors = (errors + text).slice(-2000);
    });
    child.on('error', (error) => {
      running = undefined;
      reject(error);
    });
    child.on('close', (code) => {
      running = undefined;
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args.slice(0, 8).join(' ')} ended with ${code}:\n${errors}`));
    });
  });
}
