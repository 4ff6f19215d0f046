import { createHash, randomUUID } from 'node:crypto';
import { readMachineId, readProcess } from './lock/process-identity.js';

/** The run that writes a private part, as named in the suffix. */
interface PartOwner {
  readonly pid: number;
  /** Identifies where the process id is valid. */
  readonly machine: string | undefined;
}

/** Creates a suffix for the part files of a run that does not hold the folder's lock. */
export async function createPrivateSuffix(pid: number): Promise<string> {
  const machine = await readMachineTag();
  return [pid, ...(machine === undefined ? [] : [machine]), randomUUID().slice(0, 8)].join('-');
}

/**
 * Whether the run that owns a private part is still process; undefined if this cannot be determined here.
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
