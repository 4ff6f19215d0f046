import type { FileEvent } from '../../run/run-events.js';
import type { ConvertSetting, PlannedOutput } from '../download-options.js';

/** How the event of a day file names what is made of it. @param convert undefined where nothing is. */
export function reportedOutputs(
  outputs: readonly PlannedOutput[],
  convert: Pick<ConvertSetting, 'outputSelection'> | undefined,
): Pick<FileEvent, 'output' | 'outputs'> {
  const [first] = outputs;
  if (!first) return {};
  return convert?.outputSelection ? { outputs: outputs.map(({ path }) => path) } : { output: first.path };
}
