import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { manifestPath } from '../../src/store/paths.js';
import { type Finished, jsonLines } from './cli.js';
import { runHere } from './in-process.js';
import { machine, recipe, shell } from './machine.js';
import { EXPORTED_UNTIL } from './sandbox.js';

export const SHARDS = 2;
/** Exit codes after which a retry would fail again: in all recipes, and in docs/how-to/many-machines.md. */
export const WILL_FAIL_AGAIN = [1, 2, 4, 8];

export interface Cluster {
  readonly dir: string;
  readonly bin: string;
  readonly env: Record<string, string>;
  /** The text of a recipe, adapted to the folders of this machine, two shards and two days. */
  readonly here: (text: string) => string;
  /** Creates the plan as in the Slurm recipe. */
  plan(): Promise<void>;
  /**
   * Asserts that all planned files exist and have one record.
   * @returns the number of repeated requests for a file.
   */
  assertWhole(pinned: string, data: string): Promise<number>;
}

/** A machine with a folder that all jobs share. */
export async function cluster(t: TestContext, options: SandboxOptions = {}): Promise<Cluster> {
  const {
    service,
    dir,
    bin,
    here: paths,
  } = await machine(t, {
    rows: 50,
    // The same names on each day, so that both shards have some.
    exportedUntil: EXPORTED_UNTIL,
    ...options,
  });
  const { apiUrl, datasetsUrl, requests } = service;
  const env = {
    TICKHAUL_API_URL: apiUrl,
    TICKHAUL_DATASETS_URL: datasetsUrl,
    XDG_CACHE_HOME: dir,
    PATH: `${bin}:/usr/bin:/bin`,
  };
  const here = (text: string): string =>
    paths(text)
      .replaceAll('/shared', dir)
      .replaceAll('/200', `/${SHARDS}`)
      .replace(/--last(,?) 30d/, '--last$1 2d');
  return {
    dir,
    bin,
    env,
    here,
    async plan() {
      const [, line = ''] = /^# +(tickhaul plan .*)$/m.exec(here(await recipe('slurm.sbatch'))) ?? [];
      assertDone(await shell(line, env));
    },
    async assertWhole(pinned, data) {
      const again = await runHere(['plan', '--pinned', pinned, '--dir', data, '--json'], { env });
      const [plan] = jsonLines(again);
      const lines = (await readFile(manifestPath(data), 'utf8')).trim().split('\n');
      const paths = new Set(lines.map((line) => (JSON.parse(line) as { path: string }).path));
      assert.equal(paths.size, lines.length);
      assert.ok(paths.size >= 4 && [...paths].every((path) => path.startsWith('exchange=')));
      assert.deepEqual([plan?.['files'], plan?.['skip']], [paths.size, paths.size], again.stderr);
      const asked = requests.filter(({ host }) => host === 'datasets');
      assert.equal(new Set(asked.map(({ url }) => url)).size, paths.size);
      return asked.length - paths.size;
    },
  };
}

export const assertDone = ({ exitCode, stderr }: Finished): void => assert.equal(exitCode, 0, stderr);
