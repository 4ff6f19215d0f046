import type { TestContext } from 'node:test';
import type { Finished, JsonLine } from '../../helpers/cli.js';
import { jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn } from '../../helpers/temp.js';

export const SERIES = ['deribit', '-t', 'trades,incremental_book_L2', '-s', 'BTC-PERPETUAL'];

export interface DownloadedDays {
  readonly dir: string;
  readonly env: Record<string, string>;
}

/** A folder with trades and books of some days from 2024-03-01 on. */
export async function downloadDays(t: TestContext, days: number): Promise<DownloadedDays> {
  const { dir, env } = await sandboxAndFolder(t);
  const words = ['download', ...SERIES, '--from', '2024-03-01', '--to', `2024-03-0${1 + days}`];
  const { exitCode, stderr } = await runHere(words, { env });
  if (exitCode !== 0) throw new Error(stderr);
  return { dir, env };
}

/** Names of the arrays in a folder, sorted. */
export async function arraysIn(dir: string): Promise<readonly string[]> {
  return (await namesIn(dir)).filter((name) => name.endsWith('.npz'));
}

/** File events as `status name`, sorted, and the summary's exit code. */
export function resultsOf(finished: Finished): readonly [readonly string[], number | null] {
  const files = jsonLines(finished).filter(({ event }) => event === 'file');
  return [files.map(describeFile).sort(), finished.exitCode];
}

function describeFile({ status, path }: JsonLine): string {
  return `${String(status)} ${String(path).split('/').at(-1)}`;
}
