import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskError } from '../errors.js';
import type { EventSink, FileEvent } from '../events.js';
import { writeWhole } from '../write-whole.js';
import { fileObject, line } from './output/json.js';

/**
 * Does a run, and writes the day files that failed as JSON lines (`--failed-to`), whatever ends it; an empty file
 * says that none did.
 * @param path undefined for no list.
 * @throws TickhaulError `disk` where the list can't be written; where that is plain, before the run.
 */
export async function withFailureList<T>(
  path: string | undefined,
  emit: EventSink,
  run: (emit: EventSink) => Promise<T>,
): Promise<T> {
  if (path === undefined) return run(emit);
  await access(dirname(path), constants.W_OK).catch((error: unknown) => {
    throw diskError(error, path, 'disk');
  });
  const failed: FileEvent[] = [];
  try {
    return await run((event) => {
      if (event.event === 'file' && event.status === 'failed') failed.push(event);
      emit(event);
    });
  } finally {
    await writeWhole(
      path,
      failed.map((event) => line(fileObject(event))),
    );
  }
}
