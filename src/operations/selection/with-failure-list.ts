import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toDiskError } from '../../base/errors.js';
import type { OutputHost } from '../../base/output-sink.js';
import { writeOutput } from '../../base/output-sink.js';
import type { OutputTarget } from '../../base/output-target.js';
import type { PlacedFiles } from '../../download/lists/listed-plan.js';
import { toFileJson, toJsonLine } from '../../events/json-events.js';
import type { EventSink } from '../../events/run-events.js';

/**
 * Runs `run`, and writes the failed day files as JSON lines (`--failed-to`), whatever ends the run. An empty file means
 * that no file failed.
 * @param target undefined for no list.
 * @param listed day files of `--from-file`. Those that the run does not reach are written too, because the list may
 * replace the file they were read from.
 * @throws TickhaulError `disk` if the list cannot be written, before the run if that can be detected.
 */
export async function withFailureList<T>(
  target: OutputTarget | undefined,
  host: OutputHost,
  listed: PlacedFiles | undefined,
  emit: EventSink,
  run: (emit: EventSink) => Promise<T>,
): Promise<T> {
  if (target === undefined) return run(emit);
  await assertWritable(target);
  const lines: string[] = [];
  const remaining = new Map(listed);
  try {
    return await run((event) => {
      if (event.event === 'file') {
        remaining.delete(event.source ?? event.path);
        if (event.status === 'failed') lines.push(toJsonLine(toFileJson(event)));
      }
      emit(event);
    });
  } finally {
    for (const { file, path, refusal = 'download' } of remaining.values()) {
      lines.push(toJsonLine(toFileJson({ event: 'file', file, path, status: refusal })));
    }
    await writeOutput(target, lines, host);
  }
}

async function assertWritable(target: OutputTarget): Promise<void> {
  if (target.kind === 'descriptor') return;
  const path = target.kind === 'file' ? dirname(target.path) : target.name;
  await access(path, constants.W_OK).catch((error: unknown) => {
    throw toDiskError(error, target.name, 'disk');
  });
}
