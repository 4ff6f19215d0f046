import { resolve } from 'node:path';
import { TickhaulError } from '../../base/errors.js';
import { columnsOf } from '../../dataset/data-types.js';
import { batchRows, type ConvertOptions } from '../../format/options.js';
import type { TextSink } from '../../integrity/gunzip.js';
import type { Proof } from '../../integrity/proof.js';
import type { EventSink } from '../../run/events.js';
import { partPath } from '../../store/part.js';
import type { ConversionEntry } from '../../store/types.js';
import type { ConvertSetting, PlannedFile } from '../types.js';
import { optionsEntry } from './conversion-entry.js';
import { createSlots } from './convert-slots.js';
import { createConvertThreads, type ThreadConversion } from './convert-threads.js';

/** What came of a conversion whose source is whole: the output stands under its name, or nothing is left of it. */
export type ConversionOutcome = { readonly made: ConversionEntry } | { readonly failure: TickhaulError };

/** The conversion of one day file, from the text that its proof gunzips. */
export interface DayFileConversion {
  /**
   * Begins, for a source of so many compressed bytes. What is wrong with the rows is told by `finish`: the
   * source may be whole, or may turn out to be the cause. Throws only what concerns every file.
   */
  textSink(bytes: number | undefined): TextSink;
  /** To be called when the source was proven whole. */
  finish(proof: Proof): Promise<ConversionOutcome>;
  /** To be called in any case; after `finish` it only makes room for others. */
  end(): Promise<void>;
}

/** The conversions of one run. */
export interface Conversions extends ConvertSetting {
  /** Resolves when there is memory for one more; nobody's connection is kept waiting. */
  begin(planned: PlannedFile, signal: AbortSignal): Promise<DayFileConversion>;
  close(): Promise<void>;
}

/** Bytes of batches in the making, over all conversions: 20 of trades, 5 of books of 25 levels. */
const BATCH_MEMORY = 170_000_000;
/** Where nobody has heard of the data type. */
const USUAL_COLUMNS = 32;

/**
 * @param dir download folder.
 * @param partSuffix makes part names private to this run, when another run works in the same folder.
 */
export function createConversions(
  setting: ConvertSetting,
  dir: string,
  partSuffix: string | undefined,
  emit: EventSink,
): Conversions {
  const { options } = setting;
  const slots = createSlots(BATCH_MEMORY);
  const threads = createConvertThreads(setting.threads);
  return {
    ...setting,
    async begin({ file, path, output = path }, signal) {
      const release = await slots.take(batchBytes(options, file.dataType), signal);
      const target = resolve(dir, output);
      let running: ThreadConversion | undefined;
      let failure: TickhaulError | undefined;
      return {
        textSink(bytes = 0) {
          const { dataType } = file;
          const begun = threads.begin({
            path,
            dataType,
            options,
            target,
            part: partPath(target, partSuffix),
            bytes,
          });
          running = begun;
          return async (text) => {
            if (failure) return;
            await begun.write(text).catch((error: unknown) => {
              failure = ofThisFile(error);
            });
          };
        },
        async finish(proof) {
          if (failure) return { failure };
          if (!running) throw new Error(`${path}: no text came`);
          try {
            const { warning, ...made } = await running.finish({ bytes: proof.bytes, md5: proof.md5 });
            if (warning !== undefined) emit({ event: 'warning', message: warning });
            return { made: { path: output, ...made, options: optionsEntry(options) } };
          } catch (error) {
            if (error instanceof TickhaulError) return { failure: error };
            throw error;
          }
        },
        async end() {
          await running?.abort();
          release();
        },
      };
    },
    close: () => threads.close(),
  };
}

/** A transfer that goes on while the disk is full would be in vain. */
function ofThisFile(error: unknown): TickhaulError {
  if (error instanceof TickhaulError && !error.everyone) return error;
  throw error;
}

/** Memory for the cells of one batch, in bytes; for NDJSON, whose batches are small, with the lines they become. */
function batchBytes(options: ConvertOptions, dataType: string): number {
  const columns = columnsOf(dataType)?.length ?? USUAL_COLUMNS;
  const cell = options.format === 'ndjson' ? 60 : options.numbers === 'string' ? 20 : 8;
  return batchRows(options, columns) * columns * cell;
}
