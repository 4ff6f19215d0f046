import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The built command; another build can be set. */
export const TICKHAUL =
  process.env.TICKHAUL_BIN ?? fileURLToPath(new URL('../../lib/tickhaul.cjs', import.meta.url));
/** The modules of a build, to measure parts of it. */
export const DIST = process.env.TICKHAUL_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));

/** An older build to compare with, if set. */
export const OLD_TICKHAUL = process.env.TICKHAUL_OLD;

/**
 * Starts `tickhaul sandbox` as a separate process.
 * @returns the environment that makes tickhaul use it, and a function that stops it.
 */
export function startService(...flags) {
  return startServiceOf(TICKHAUL, ...flags);
}

/** Starts the embedded service of a build, given the path of its command. */
export async function startServiceOf(command, ...flags) {
  const { lines, stop } = start(process.execPath, [command, 'sandbox', '--quiet', ...flags]);
  const env = {};
  for await (const line of lines) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    if (name) env[name] = value;
    if ('TICKHAUL_API_KEY' in env) return { env, stop };
  }
  throw new Error('the embedded service did not start');
}

/** A stand-in of the raw data API, in a separate process, that serves a folder of slices. */
export async function startFeeds(folder, latencyMs) {
  const script = fileURLToPath(new URL('../feeds/service.js', import.meta.url));
  const { lines, stop } = start(process.execPath, [script, folder, String(latencyMs)]);
  for await (const origin of lines) return { env: { TICKHAUL_API_URL: origin }, stop };
  throw new Error('the stand-in of the raw data API did not start');
}

/** Adds TLS to an http address, in a separate process. @returns the https origin, and a function that stops it. */
export async function startTls(target, certificate) {
  const script = fileURLToPath(new URL('../tls.js', import.meta.url));
  const { lines, stop } = start(process.execPath, [script, target, certificate]);
  for await (const origin of lines) return { origin, stop };
  throw new Error('the TLS front did not start');
}

/**
 * Starts a server that prints its HTTP port.
 * @param args path of a script, and its arguments.
 * @returns its HTTP port, its process, and a function that stops it.
 */
export async function startServer(args, { env, node = process.execPath }) {
  const { lines, child, stop } = start(node, args, {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME },
    ...env,
  });
  for await (const line of lines) {
    const [, port] = /^HTTP port: (\d+)$/.exec(line) ?? [];
    if (port) return { port: Number(port), pid: child.pid, stop };
  }
  throw new Error('the server did not start');
}

/** Starts a program. @returns its output lines, its process, and a function that stops it. */
export function start(program, args, env = process.env) {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await exited;
  };
  return { lines: createInterface(child.stdout), child, stop };
}
