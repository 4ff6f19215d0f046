import { type FileHandle, open } from 'node:fs/promises';
import { diskError, isSystemError, usageError } from '../../base/errors.js';
import type { OutputHost } from '../../base/output-sink.js';
import type { OutputTarget } from '../../base/output-target.js';
import { writeOutput } from '../../base/write-output.js';

/** What every report has near its beginning. */
export const REPORT_MARK = '<meta name="generator" content="tickhaul coverage">';

const HEAD_BYTES = 1024;

/**
 * Writes a report, to a regular file whole or not at all. Only an earlier report is replaced.
 * @throws usage error where another file stands there; as `writeOutput`.
 */
export async function writeReport(target: OutputTarget, html: string, host: OutputHost): Promise<void> {
  if (target.kind === 'file' && (await isOther(target.path))) {
    throw usageError(
      `${target.name}: a file stands here that is no report of tickhaul; choose another name, or remove it`,
    );
  }
  await writeOutput(target, [html], host);
}

async function isOther(path: string): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return bytesRead > 0 && !buffer.toString('utf8', 0, bytesRead).includes(REPORT_MARK);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw diskError(error, path);
  } finally {
    await handle?.close();
  }
}
