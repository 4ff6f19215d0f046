import { createHash, randomUUID } from 'node:crypto';
import { readMachineId, readProcess } from './lock/process-identity.js';

/** What the name of a private part says of the run that writes it. */
interface PartOwner {
  readonly pid: number;
  /** Where the process number counts. */
  readonly machine: string | undefined;
}

/** A suffix for the parts of a run that works beside the one that holds the folder's lock. */
export async function createPrivateSuffix(pid: number): Promise<string> {
  const machine = await readMachineTag();
  return [pid, ...(machine === undefined ? [] : [machine]), randomUUID().slice(0, 8)].join('-');
}

/**
 * Whether the run that made a private part is at work still; undefined where that can't be known from here.
 * @param isAlive whether a process of this host runs.
 */
export async function isOwnerAlive(
  suffix: string,
  isAlive: (pid: number) => boolean,
): Promise<boolean | undefined> {
  const { pid, machine } = parseSuffix(suffix);
  if (machine === undefined || machine !== (await readMachineTag())) return undefined;
  const running = await readProcess(pid);
  if (running) return running.start !== undefined;
  return isAlive(pid) ? undefined : false;
}

function parseSuffix(suffix: string): PartOwner {
  const [pid, machine, random] = suffix.split('-');
  return { pid: Number(pid), machine: random === undefined ? undefined : machine };
}

async function readMachineTag(): Promise<string | undefined> {
  const machine = await readMachineId();
  return machine === undefined ? undefined : createHash('sha1').update(machine).digest('hex').slice(0, 8);
}
