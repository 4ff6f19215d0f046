import type { ComputedType } from '../../market/names/message-type-name.js';
import type { Files } from '../../store/files.js';
import { describeRequiredTypes, type OutputSelection } from '../output-selection.js';
import { readDataTypeFromHeader } from './read-data-type-from-header.js';

/** Finds the computed types for each file, and collects the files without any output. */
export class SkippedSources {
  readonly #selection: OutputSelection;
  readonly #files: Files;
  readonly #signal: AbortSignal;
  /** Paths by data type. */
  readonly #paths = new Map<string, string[]>();

  constructor(selection: OutputSelection, files: Files, signal: AbortSignal) {
    this.#selection = selection;
    this.#files = files;
    this.#signal = signal;
  }

  /** One warning per data type of the skipped files. */
  get warnings(): readonly string[] {
    const needs = describeRequiredTypes(this.#selection);
    return [...this.#paths].map(([dataType, paths]) => {
      const [first = ''] = paths;
      const which =
        paths.length === 1 ? first : `${paths.length} files of ${dataType}, the first is ${first}`;
      return `skipping ${which}: ${needs}, not from ${dataType}`;
    });
  }

  /**
   * The selected computed types that can be computed from a file. All of them if its data type is unknown:
   * the conversion reports the error later.
   * @param known the file's data type; undefined if it must be read from the header.
   */
  async findComputedTypes(path: string, known: string | undefined): Promise<readonly ComputedType[]> {
    const { rows, computed } = this.#selection;
    if (computed.length === 0) return [];
    const dataType = known ?? (await readDataTypeFromHeader(this.#files, path, this.#signal));
    if (dataType === undefined) return computed;
    const types = computed.filter(({ dayFileType }) => dayFileType === dataType);
    if (types.length === 0 && !rows) this.#add(dataType, path);
    return types;
  }

  #add(dataType: string, path: string): void {
    const paths = this.#paths.get(dataType) ?? [];
    paths.push(path);
    this.#paths.set(dataType, paths);
  }
}
