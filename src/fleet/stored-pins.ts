import { TickhaulError } from '../base/errors.js';
import { STATE_FOLDER } from '../dataset/file-naming.js';
import { formatPin, type PinnedPlan, parsePin, pinName } from '../download/lists/pinned-plan.js';
import type { Destination } from '../store/destination.js';

/**
 * Puts a pinned plan where all workers find it. @returns its name there. @throws as the destination does.
 * @param mark what its name begins with.
 * @param onName told the name before anything is written.
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

/** @throws usage error where it was changed; `disk` where it isn't there: not the destination that was meant. */
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
    `${path}: the plan of this slice is not there; is ${destination.name} the folder that the queue was filled for, on this machine too?`,
  );
}

/** Where there is none, there is nothing to do. @throws as the destination does. */
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

/** From the destination. */
function statePath(name: string): string {
  return `${STATE_FOLDER}/${stateName(name)}`;
}
