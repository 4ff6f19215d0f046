import type { ComputedType } from '../../market/names/data-type-name.js';
import type { Files } from '../../store/files.js';
import { describeRequiredTypes, type OutputSelection } from '../output-selection.js';
import { readDataTypeFromHeader } from './read-data-type-from-header.js';

/** Tells which computed types a file gives, and remembers the files that nothing is made of. */
export class SkippedSources {
  readonly #wanted: OutputSelection;
  readonly #files: Files;
  readonly #signal: AbortSignal;
  /** Paths by data type. */
  readonly #paths = new Map<string, string[]>();

  constructor(wanted: OutputSelection, files: Files, signal: AbortSignal) {
    this.#wanted = wanted;
    this.#files = files;
    this.#signal = signal;
  }

  /** What is to be said of these files: a sentence a data type, however many there are. */
  get warnings(): readonly string[] {
    const needs = describeRequiredTypes(this.#wanted);
    return [...this.#paths].map(([dataType, paths]) => {
      const [first = ''] = paths;
      const which = paths.length === 1 ? first : `${paths.length} files of ${dataType}, the first ${first}`;
      return `passed over: ${which}: ${needs}, and not of ${dataType}`;
    });
  }

  /**
   * The computed types that a file gives; all of them where nothing tells its data type: whoever reads it says so.
   * @param known the file's data type; undefined where the header has to tell it.
   */
  async typesOf(path: string, known: string | undefined): Promise<readonly ComputedType[]> {
    const { rows, computed } = this.#wanted;
    if (computed.length === 0) return [];
    const dataType = known ?? (await readDataTypeFromHeader(this.#files, path, this.#signal));
    if (dataType === undefined) return computed;
    const types = computed.filter(({ dayFiles }) => dayFiles === dataType);
    if (types.length === 0 && !rows) this.#add(dataType, path);
    return types;
  }

  #add(dataType: string, path: string): void {
    const paths = this.#paths.get(dataType) ?? [];
    paths.push(path);
    this.#paths.set(dataType, paths);
  }
}
