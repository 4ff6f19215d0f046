import type { TickhaulError } from '../../base/errors.js';
import { computedColumns } from '../../convert/computed/computed-rows.js';
import { outputVersion } from '../../convert/provenance.js';
import { dataTypeColumns } from '../../day-files/data-types.js';
import type { EventSink } from '../../events/run-events.js';
import type { OutputOptions } from '../../format/output-format.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { Destination } from '../../store/destination.js';
import type { ConversionEntry } from '../../store/manifest-record.js';
import { partPath } from '../../store/part-path.js';
import type { ConvertSetting, PlannedFile, PlannedOutput } from '../download-options.js';
import { toEntryOptions, withRules } from './conversion-entry.js';
import type { ConvertedOutput, TextTask } from './convert-worker.js';

/** Result of the conversions of a complete source: published outputs; failed ones leave no file. */
export interface ConversionOutcome {
  readonly newConversions: readonly ConversionEntry[];
  /** Why outputs are missing. */
  readonly failure?: TickhaulError | undefined;
}

/** The conversions of one run. */
export interface Conversions extends ConvertSetting {
  /** Bytes of memory for the batches of a day file's conversions. */
  batchBytes(planned: PlannedFile): number;
  /** Undefined if the file has no outputs. Start it only after memory for its batches was acquired. */
  start(planned: PlannedFile): TextTask<ConversionOutcome> | undefined;
}

/** Assumed columns of an unknown data type. */
const DEFAULT_COLUMN_COUNT = 32;

/**
 * @param partSuffix makes the names of part files unique to this run if another run works in the same folder.
 */
export function createConversions(
  setting: ConvertSetting,
  destination: Destination,
  partSuffix: string | undefined,
  emit: EventSink,
): Conversions {
  const { options } = setting;

  const createEntry = (
    { path, type }: PlannedOutput,
    { warning, ...converted }: ConvertedOutput,
    dataType: string,
  ): ConversionEntry => {
    if (warning !== undefined) emit({ event: 'warning', message: warning });
    const version = outputVersion(type?.name ?? dataType, options.format);
    return {
      path,
      ...converted,
      ...(type && { computed: type.name }),
      options: withRules(toEntryOptions(options), type),
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
      const { dataType, day } = file;
      return {
        createJobs: () =>
          groups.map((group) => {
            const targets = group.map(({ path: output, type }) => {
              const target = destination.locate(output);
              return { type, target, part: partPath(target, partSuffix) };
            });
            return { path, dataType, day, options, outputs: targets };
          }),
        async finish(results, failure) {
          const newConversions = results.flatMap(({ outputs: converted = [] }, i) =>
            converted.map((output, j) => createEntry(groups[i]?.[j] as PlannedOutput, output, dataType)),
          );
          return { newConversions, failure };
        },
      };
    },
  };
}

/** Groups outputs by thread: the rows alone, and all computed types together. */
function groupByPass(outputs: readonly PlannedOutput[]): readonly (readonly PlannedOutput[])[] {
  const rows = outputs.filter(({ type }) => type === undefined);
  const computed = outputs.filter(({ type }) => type !== undefined);
  return [rows, computed].filter((group) => group.length > 0);
}

/** Memory of one batch in bytes. */
function estimateBatchBytes(options: OutputOptions, dataType: string, type: PlannedOutput['type']): number {
  const columns = (type ? computedColumns(type) : dataTypeColumns(dataType))?.length ?? DEFAULT_COLUMN_COUNT;
  const { batches } = OUTPUT_FORMATS[options.format];
  return batches.rows(options, columns) * columns * batches.cellBytes(options);
}
