import { TickhaulError } from '../../base/errors.js';
import { computedColumns } from '../../convert/computed/computed-columns.js';
import { outputVersion } from '../../convert/output/versions.js';
import { dataTypeColumns } from '../../dataset/data-types.js';
import { type ConvertOptions, chooseBatchRows } from '../../format/convert-options.js';
import type { TextSink } from '../../integrity/gunzip.js';
import type { FileChecksums } from '../../integrity/verify-file.js';
import type { EventSink } from '../../run/run-events.js';
import type { Destination } from '../../store/destination.js';
import type { ConversionEntry } from '../../store/manifest-record.js';
import { partPath } from '../../store/part-path.js';
import type { ConvertSetting, PlannedFile, PlannedOutput } from '../download-options.js';
import { toEntryOptions } from './conversion-entry.js';
import { createConvertThreads, type ThreadConversion } from './convert-threads.js';
import type { ConvertedOutput } from './convert-worker.js';

/** What came of the conversions of a source that is whole: outputs under their names; of others nothing is left. */
export interface ConversionOutcome {
  readonly newConversions: readonly ConversionEntry[];
  /** Why there is no more. */
  readonly failure?: TickhaulError | undefined;
}

/** The conversions of one day file, from the text that its proof gunzips. */
export interface DayFileConversion {
  /**
   * Begins. What is wrong with the rows is told by `finish`: the source may be whole, or may turn out to be the
   * cause. Throws only what concerns every file.
   */
  textSink(): TextSink;
  /** To be called when the source was proven whole. */
  finish(proof: FileChecksums): Promise<ConversionOutcome>;
  /** To be called in any case; after `finish` it does nothing. */
  end(): Promise<void>;
}

/** The conversions of one run. */
export interface Conversions extends ConvertSetting {
  /** Bytes of memory for the batches of a day file's conversions. */
  batchBytes(planned: PlannedFile): number;
  /** Undefined where nothing is to be made of the file. To be begun when there is memory for its batches. */
  start(planned: PlannedFile): DayFileConversion | undefined;
  close(): Promise<void>;
}

/** Where nobody has heard of the data type. */
const DEFAULT_COLUMN_COUNT = 32;

/**
 * @param partSuffix makes part names private to this run, when another run works in the same folder.
 */
export function createConversions(
  setting: ConvertSetting,
  destination: Destination,
  partSuffix: string | undefined,
  emit: EventSink,
): Conversions {
  const { options } = setting;
  const threads = createConvertThreads(setting.threads, destination.settings);

  const entryOf = (
    { path, type }: PlannedOutput,
    { warning, ...made }: ConvertedOutput,
    dataType: string,
  ): ConversionEntry => {
    if (warning !== undefined) emit({ event: 'warning', message: warning });
    const version = outputVersion(type?.name ?? dataType, options.format);
    return {
      path,
      ...made,
      ...(type && { computed: type.name }),
      options: toEntryOptions(options),
      ...(version !== undefined && { version }),
    };
  };

  return {
    ...setting,
    batchBytes: ({ file, outputs }) =>
      outputs.reduce((sum, { type }) => sum + estimateBatchBytes(options, file.dataType, type), 0),
    start({ file, path, outputs }) {
      if (outputs.length === 0) return undefined;
      const groups = groupByPass(outputs);
      let running: readonly ThreadConversion[] = [];
      let failure: TickhaulError | undefined;
      return {
        textSink() {
          const { dataType, day } = file;
          running = groups.map((group) => {
            const targets = group.map(({ path: output, type }) => {
              const target = destination.locate(output);
              return { type, target, part: partPath(target, partSuffix) };
            });
            return threads.start({ path, dataType, day, options, outputs: targets });
          });
          return async (text) => {
            if (failure) return;
            await Promise.all(running.map((one) => one.write(text))).catch((error: unknown) => {
              failure = toConversionError(error);
            });
          };
        },
        async finish({ bytes, md5 }) {
          if (failure) return { newConversions: [], failure };
          if (running.length === 0) throw new Error(`${path}: no text came`);
          const entries: ConversionEntry[] = [];
          try {
            for (const [i, one] of running.entries()) {
              const made = await one.finish({ bytes, md5 });
              for (const [j, output] of made.entries()) {
                entries.push(entryOf(groups[i]?.[j] as PlannedOutput, output, file.dataType));
              }
            }
            return { newConversions: entries };
          } catch (error) {
            if (error instanceof TickhaulError) return { newConversions: entries, failure: error };
            throw error;
          }
        },
        async end() {
          await Promise.all(running.map((one) => one.abort()));
        },
      };
    },
    close: () => threads.close(),
  };
}

/** The rows by themselves, and all computed types together: each group in one thread. */
function groupByPass(outputs: readonly PlannedOutput[]): readonly (readonly PlannedOutput[])[] {
  const rows = outputs.filter(({ type }) => type === undefined);
  const computed = outputs.filter(({ type }) => type !== undefined);
  return [rows, computed].filter((group) => group.length > 0);
}

/** A transfer that goes on while the disk is full would be in vain. */
function toConversionError(error: unknown): TickhaulError {
  if (error instanceof TickhaulError && !error.affectsRun) return error;
  throw error;
}

/** Memory for the cells of one batch, in bytes; for NDJSON, whose batches are small, with the lines they become. */
function estimateBatchBytes(options: ConvertOptions, dataType: string, type: PlannedOutput['type']): number {
  const columns = (type ? computedColumns(type) : dataTypeColumns(dataType))?.length ?? DEFAULT_COLUMN_COUNT;
  const cell = options.format === 'ndjson' ? 60 : options.numbers === 'string' ? 20 : 8;
  return chooseBatchRows(options, columns) * columns * cell;
}
