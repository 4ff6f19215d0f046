import type { FileEvent } from '../../run/run-events.js';
import type { ConvertSetting, PlannedOutput } from '../download-options.js';

/** The outputs in the event of a day file. @param convert undefined if nothing is converted. */
export function reportedOutputs(
  outputs: readonly PlannedOutput[],
  convert: Pick<ConvertSetting, 'outputSelection'> | undefined,
): Pick<FileEvent, 'output' | 'outputs'> {
  const [first] = outputs;
  if (!first) return {};
  return convert?.outputSelection ? { outputs: outputs.map(({ path }) => path) } : { output: first.path };
}
