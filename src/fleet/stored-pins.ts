import { TickhaulError } from '../base/errors.js';
import { STATE_FOLDER } from '../day-files/file-naming.js';
import { formatPin, type PinnedPlan, parsePin, pinName } from '../download/lists/pinned-plan.js';
import type { Destination } from '../store/destination.js';

/**
 * Writes a pinned plan to the destination, where all workers can read it
 * (docs/spec/queue.md#plans-in-the-destination). @returns its name.
 * @param mark prefix of the name.
 * @param onName called with the name before anything is written.
 * @throws errors of the destination.
 */
export async function writePin(
  destination: Destination,
  pin: PinnedPlan,
  mark: string,
  onName: (name: string) => Promise<void>,
  signal: AbortSignal,
): Promise<string> {
  const texts = [...formatPin(pin)];
  const name = mark + pinName(texts);
  await onName(name);
  await destination.writeState(stateName(name), texts.join(''), signal);
  return name;
}

/** @throws usage error if the plan was modified; `disk` if it is missing, as in another destination. */
export async function readPin(
  destination: Destination,
  name: string,
  signal?: AbortSignal,
): Promise<PinnedPlan> {
  const path = destination.locate(statePath(name));
  const text = await destination.readState(stateName(name), signal);
  if (text !== undefined) return parsePin(text, path);
  throw new TickhaulError(
    'disk',
    `${path}: the plan of this slice is missing; check that ${destination.name} is the folder that the queue was filled for, on this machine too`,
  );
}

/** Does nothing if the plan is missing. @throws errors of the destination. */
export async function removePin(
  { files, locate }: Destination,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  await files.remove(locate(statePath(name)), signal);
}

function stateName(name: string): string {
  return `plans/${name}.json`;
}

/** Path relative to the destination. */
function statePath(name: string): string {
  return `${STATE_FOLDER}/${stateName(name)}`;
}
