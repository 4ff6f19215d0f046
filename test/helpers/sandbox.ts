import type { TestContext } from 'node:test';
import { parseDay } from '../../src/day-files/day.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { cleanUp } from './clean-up.js';
import { envOf } from './cli.js';
import { tempDir } from './temp.js';

export const EXPORTED_UNTIL = parseDay('2024-03-10');

/** Enough activity that each minute of a feed has messages. */
export const BUSY = { rows: 20_000 } as const satisfies SandboxOptions;

/** Each response stalls in the middle, so that no file is complete when a signal arrives. */
export const STALLED = { faults: { stall: 1 } } as const satisfies SandboxOptions;

/** The first response for some of the files stalls in the middle, so that a signal cannot come too late. */
export const SOME_STALLED = { faults: { stall: 0.5 }, faultsPerFile: 1 } as const satisfies SandboxOptions;

/** An embedded service that ends with the test. Its export ends before 2024-03-10. */
export async function sandbox(t: TestContext, options: SandboxOptions = {}): Promise<Sandbox> {
  const service = await startSandbox({ exportedUntil: EXPORTED_UNTIL, rows: 300, ...options });
  cleanUp(t, () => service.close());
  return service;
}

/** A service, an empty folder, and the environment of a command that uses both. */
export async function sandboxAndFolder(
  t: TestContext,
  options: SandboxOptions = {},
): Promise<{ readonly service: Sandbox; readonly dir: string; readonly env: Record<string, string> }> {
  const service = await sandbox(t, options);
  const dir = await tempDir(t);
  return { service, dir, env: envOf(service, dir) };
}

/** A service whose feeds have messages in each minute. */
export function busySandbox(t: TestContext, options: SandboxOptions = {}): Promise<Sandbox> {
  return sandbox(t, { ...BUSY, ...options });
}
