import type { TestContext } from 'node:test';
import type { RunEvent, TickhaulError } from '../../src/index.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { cleanUp } from '../helpers/clean-up.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';

export interface Surroundings {
  readonly service: Sandbox;
  readonly dir: string;
}

/** A service and a download folder, set in the environment of this process until the test ends. */
export async function place(t: TestContext, options: SandboxOptions = {}): Promise<Surroundings> {
  const { service, dir, env } = await sandboxAndFolder(t, options);
  const before = { ...process.env };
  Object.assign(process.env, env);
  cleanUp(t, () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  });
  return { service, dir };
}

/** One day file of few rows. */
export const ONE = {
  exchange: 'binance-futures',
  types: 'trades',
  symbols: 'BTCUSDT',
  date: '2024-03-01',
} as const;

/** All events of a run. */
export async function eventsOf<Reported>(run: AsyncIterable<Reported>): Promise<readonly Reported[]> {
  const events: Reported[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** The error of a rejected call. */
export async function errorOf(call: Promise<unknown>): Promise<TickhaulError> {
  return call.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as TickhaulError,
  );
}

/**
 * Without fields that differ between two runs: times, and the order of files. With one slot, the next file starts while
 * the previous one is verified and recorded, and may end before it.
 */
export function timeless(events: readonly object[]): readonly object[] {
  const pathOf = (event: object): string => String('path' in event ? event.path : '');
  const isFile = (event: object): boolean => 'event' in event && event.event === 'file';
  const files = events.filter(isFile).toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
  return events
    .map((event) => (isFile(event) ? (files.shift() ?? event) : event))
    .map((event) =>
      Object.fromEntries(
        Object.entries(event).filter(
          ([name]) => !['seconds', 'estimatedSeconds', 'freeBytes'].includes(name),
        ),
      ),
    );
}

export function filesOf(events: readonly RunEvent[]) {
  return events.filter((event) => event.event === 'file');
}
