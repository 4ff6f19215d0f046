/**
 * Tests that need a program which a machine may lack. Such a test is declared by one of the functions below, and only its
 * context lets it start the program: a test that forgets to ask does not compile.
 */
import { spawnSync } from 'node:child_process';
import { type TestContext, type TestOptions, test } from 'node:test';

/** What each service needs on the PATH. */
const SERVICES = {
  store: {
    name: 'radosgw (Ceph)',
    programs: ['radosgw', 'radosgw-admin', 'ceph', 'ceph-mon', 'ceph-osd', 'monmaptool', 'setpriv'],
  },
  redis: { name: 'redis-server', programs: ['redis-server'] },
  browser: { name: 'chromium', programs: ['chromium'] },
  slurm: { name: 'Slurm', programs: ['slurmctld', 'slurmd', 'sbatch'] },
  // Not a program, but the long run in the night: scripts/nightly.js sets the variable.
  nightly: { name: 'npm run test:nightly', programs: [] },
} as const;
/** Whether this is the long run. */
const IS_NIGHTLY = process.env['TICKHAUL_NIGHTLY'] === '1';

export type Service = keyof typeof SERVICES;

declare const HAS: unique symbol;

/** Context of a test that was declared with these services. */
export interface ContextWith<S extends Service> extends TestContext {
  readonly [HAS]: { readonly [K in S]: true };
}

/** Declares a test; it is skipped where one of its services is missing. */
export interface DeclareTest<S extends Service> {
  (title: string, work: (t: ContextWith<S>) => Promise<void>): void;
  (title: string, options: TestOptions, work: (t: ContextWith<S>) => Promise<void>): void;
}

/** Why tests that need these services are skipped; false if all are installed. */
export function missingService(...services: readonly Service[]): string | false {
  const missing = services.find((service) => !isInstalled(service));
  return missing !== undefined && `needs ${SERVICES[missing].name}`;
}

/** Programs of all services, which the test runner hides to act as a machine without them. */
export function listServicePrograms(): readonly string[] {
  // setpriv belongs to util-linux, which every machine has.
  return Object.values(SERVICES).flatMap(({ programs }) => programs.filter((name) => name !== 'setpriv'));
}

export const storeTest = declareWith('store');
export const redisTest = declareWith('redis');
export const queueAndStoreTest = declareWith('redis', 'store');
export const browserTest = declareWith('browser');
export const slurmTest = declareWith('slurm');
/** A test that costs much and finds little that others do not find; CONTRIBUTING.md lists what belongs here. */
export const nightlyTest = declareWith('nightly');
/** A test of every run, beside variants of it that only run in the night. */
export const usualTest: typeof nightlyTest = declareWith();

/** Rounds of a property test: all of them in the night, a third otherwise. A failure prints its seed. */
export function rounds(all: number): number {
  return IS_NIGHTLY ? all : Math.ceil(all / 3);
}

/** Runs random rounds, a third of them by default. An error names the round, which is the seed. */
export async function eachRound(all: number, run: (round: number) => unknown): Promise<void> {
  for (let round = 0; round < rounds(all); round++) {
    try {
      await run(round);
    } catch (error) {
      throw new Error(`round ${round}`, { cause: error });
    }
  }
}

function declareWith<S extends Service>(...services: readonly S[]): DeclareTest<S> {
  return (title: string, ...rest: readonly unknown[]): void => {
    const work = rest.at(-1) as (t: TestContext) => Promise<void>;
    const options = rest.length > 1 ? (rest[0] as TestOptions) : {};
    // A test may name what else it needs in its options.
    const skip = missingService(...services) || options.skip || false;
    void test(title, { ...options, skip }, work);
  };
}

const installed = new Map<Service, boolean>();

function isInstalled(service: Service): boolean {
  if (service === 'nightly') return IS_NIGHTLY;
  const known = installed.get(service);
  if (known !== undefined) return known;
  const commands = SERVICES[service].programs.map((program) => `command -v ${program}`).join('\n');
  const isHere = spawnSync('sh', ['-ec', commands]).status === 0;
  installed.set(service, isHere);
  return isHere;
}
