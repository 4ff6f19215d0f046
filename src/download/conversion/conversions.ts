import { TickhaulError } from '../../base/errors.js';
import { computedColumns } from '../../convert/computed/columns.js';
import { outputVersion } from '../../convert/output/versions.js';
import { columnsOf } from '../../dataset/data-types.js';
import { batchRows, type ConvertOptions } from '../../format/options.js';
import type { TextSink } from '../../integrity/gunzip.js';
import type { Proof } from '../../integrity/proof.js';
import type { EventSink } from '../../run/events.js';
import type { Destination } from '../../store/destination.js';
import { partPath } from '../../store/part.js';
import type { ConversionEntry } from '../../store/types.js';
import type { ConvertSetting, PlannedFile, PlannedOutput } from '../types.js';
import { optionsEntry } from './conversion-entry.js';
import { createConvertThreads, type ThreadConversion } from './convert-threads.js';
import type { MadeOutput } from './convert-worker.js';

/** What came of the conversions of a source that is whole: outputs under their names; of others nothing is left. */
export interface ConversionOutcome {
  readonly made: readonly ConversionEntry[];
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
  finish(proof: Proof): Promise<ConversionOutcome>;
  /** To be called in any case; after `finish` it does nothing. */
  end(): Promise<void>;
}

/** The conversions of one run. */
export interface Conversions extends ConvertSetting {
  /** Bytes of memory for the batches of a day file's conversions. */
  batchBytes(planned: PlannedFile): number;
  /** Undefined where nothing is to be made of the file. To be begun when there is memory for its batches. */
  begin(planned: PlannedFile): DayFileConversion | undefined;
  close(): Promise<void>;
}

/** Where nobody has heard of the data type. */
const USUAL_COLUMNS = 32;

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
    { warning, ...made }: MadeOutput,
    dataType: string,
  ): ConversionEntry => {
    if (warning !== undefined) emit({ event: 'warning', message: warning });
    const version = outputVersion(type?.name ?? dataType, options.format);
    return {
      path,
      ...made,
      ...(type && { computed: type.name }),
      options: optionsEntry(options),
      ...(version !== undefined && { version }),
    };
  };

  return {
    ...setting,
    batchBytes: ({ file, outputs }) =>
      outputs.reduce((sum, { type }) => sum + batchBytes(options, file.dataType, type), 0),
    begin({ file, path, outputs }) {
      if (outputs.length === 0) return undefined;
      const groups = inOnePass(outputs);
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
            return threads.begin({ path, dataType, day, options, outputs: targets });
          });
          return async (text) => {
            if (failure) return;
            await Promise.all(running.map((one) => one.write(text))).catch((error: unknown) => {
              failure = ofThisFile(error);
            });
          };
        },
        async finish({ bytes, md5 }) {
          if (failure) return { made: [], failure };
          if (running.length === 0) throw new Error(`${path}: no text came`);
          const entries: ConversionEntry[] = [];
          try {
            for (const [i, one] of running.entries()) {
              const made = await one.finish({ bytes, md5 });
              for (const [j, output] of made.entries()) {
                entries.push(entryOf(groups[i]?.[j] as PlannedOutput, output, file.dataType));
              }
            }
            return { made: entries };
          } catch (error) {
            if (error instanceof TickhaulError) return { made: entries, failure: error };
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
function inOnePass(outputs: readonly PlannedOutput[]): readonly (readonly PlannedOutput[])[] {
  const rows = outputs.filter(({ type }) => type === undefined);
  const computed = outputs.filter(({ type }) => type !== undefined);
  return [rows, computed].filter((group) => group.length > 0);
}

/** A transfer that goes on while the disk is full would be in vain. */
function ofThisFile(error: unknown): TickhaulError {
  if (error instanceof TickhaulError && !error.everyone) return error;
  throw error;
}

/** Memory for the cells of one batch, in bytes; for NDJSON, whose batches are small, with the lines they become. */
function batchBytes(options: ConvertOptions, dataType: string, type: PlannedOutput['type']): number {
  const columns = (type ? computedColumns(type) : columnsOf(dataType))?.length ?? USUAL_COLUMNS;
  const cell = options.format === 'ndjson' ? 60 : options.numbers === 'string' ? 20 : 8;
  return batchRows(options, columns) * columns * cell;
}
