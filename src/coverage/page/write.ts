import { type FileHandle, open, stat } from 'node:fs/promises';
import { diskError, isSystemError, usageError } from '../../base/errors.js';
import { writeWhole } from '../../base/write-whole.js';

/** What every report has near its beginning. */
export const REPORT_MARK = '<meta name="generator" content="tickhaul coverage">';

const HEAD_BYTES = 1024;

/**
 * Writes a report, whole or not at all. Only an earlier report is replaced.
 * @throws usage error where another file stands there; `disk`, `path_taken`.
 */
export async function writeReport(path: string, html: string): Promise<void> {
  if (await isOther(path)) {
    throw usageError(
      `${path}: a file stands here that is no report of tickhaul; choose another name, or remove it`,
    );
  }
  await writeWhole(path, [html]);
}

async function isOther(path: string): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    // A pipe would wait for its writer.
    if (!(await stat(path)).isFile()) return false;
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
