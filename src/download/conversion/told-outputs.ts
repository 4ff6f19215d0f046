import type { FileEvent } from '../../run/events.js';
import type { ConvertSetting, PlannedOutput } from '../types.js';

/** How the event of a day file names what is made of it. @param convert undefined where nothing is. */
export function toldOutputs(
  outputs: readonly PlannedOutput[],
  convert: Pick<ConvertSetting, 'wanted'> | undefined,
): Pick<FileEvent, 'output' | 'outputs'> {
  const [first] = outputs;
  if (!first) return {};
  return convert?.wanted ? { outputs: outputs.map(({ path }) => path) } : { output: first.path };
}
