import { type Host, hostOf } from '../commands/host.js';

/**
 * What the library may know of the process that it is used in: nothing else of it reads `process`. Its streams and
 * signals are the program's.
 */
export function libraryHost(signal: AbortSignal, warn: (message: string) => void): Host {
  return { ...hostOf(process), stdin: undefined, signal, commandLine: 'tickhaul, as a library', warn };
}
