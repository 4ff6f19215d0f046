import { type FileHandle, open } from 'node:fs/promises';
import { isSystemError, toDiskError, usageError } from '../../../base/errors.js';
import { type OutputHost, type OutputTarget, writeOutput } from '../../../base/output-sink.js';

/** Identifies a report; near the start of every report. */
export const REPORT_MARK = '<meta name="generator" content="tickhaul coverage">';

/** The mark is within the first bytes. */
const SEARCHED_BYTES = 1024;

/**
 * Writes a report; a regular file is written completely or not at all. It replaces earlier reports only.
 * @throws usage error if the path is another file; errors of `writeOutput`.
 */
export async function writeReport(target: OutputTarget, html: string, host: OutputHost): Promise<void> {
  await assertReplaceable(target);
  await writeOutput(target, [html], host);
}

/** @throws usage error if the target is an existing file other than a report; `disk`. */
export async function assertReplaceable(target: OutputTarget): Promise<void> {
  if (target.kind === 'file' && (await isOtherFile(target.path))) {
    throw usageError(
      `${target.name}: the file exists and is not a report of tickhaul; choose another name or remove it`,
    );
  }
}

async function isOtherFile(path: string): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SEARCHED_BYTES), 0, SEARCHED_BYTES, 0);
    return bytesRead > 0 && !buffer.toString('utf8', 0, bytesRead).includes(REPORT_MARK);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw toDiskError(error, path);
  } finally {
    await handle?.close();
  }
}
