import { type CommandHost, readProcessHost } from '../commands/command-host.js';

/**
 * What the library may know of the process that it is used in: nothing else of it reads `process`. Its streams and
 * signals are the program's.
 */
export function createLibraryHost(signal: AbortSignal, warn: (message: string) => void): CommandHost {
  return {
    ...readProcessHost(process),
    stdin: undefined,
    signal,
    commandLine: 'tickhaul, as a library',
    warn,
  };
}
