import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toDiskError } from '../../base/errors.js';
import { type OutputTarget, writeOutput } from '../../base/output-sink.js';
import type { PlacedFiles } from '../../download/plan/listed-plan.js';
import { toFileJson, toJsonLine } from '../../events/json-events.js';
import type { EventSink } from '../../events/run-events.js';
import type { Context } from '../context.js';

/**
 * Writes the failed day files as JSON lines (`--failed-to`) at the end of the run, whatever ends it. An empty file means
 * that no file failed.
 * @param listed day files of `--from-file`. Those that the run does not reach are written too, because the list may
 * replace the file they were read from.
 * @returns the sink of the run's events.
 * @throws TickhaulError `disk` if the list cannot be written, at once if that can be detected.
 */
export async function openFailureList(
  target: OutputTarget,
  listed: PlacedFiles | undefined,
  context: Context,
): Promise<EventSink> {
  await assertWritable(target);
  const lines: string[] = [];
  const remaining = new Map(listed);
  context.defer(async () => {
    for (const { file, path, refusal = 'download' } of remaining.values()) {
      lines.push(toJsonLine(toFileJson({ event: 'file', file, path, status: refusal })));
    }
    await writeOutput(target, lines, context);
  });
  return (event) => {
    if (event.event === 'file') {
      remaining.delete(event.source ?? event.path);
      if (event.status === 'failed') lines.push(toJsonLine(toFileJson(event)));
    }
    context.emit(event);
  };
}

async function assertWritable(target: OutputTarget): Promise<void> {
  if (target.kind === 'descriptor') return;
  const path = target.kind === 'file' ? dirname(target.path) : target.name;
  await access(path, constants.W_OK).catch((error: unknown) => {
    throw toDiskError(error, target.name, 'disk');
  });
}
