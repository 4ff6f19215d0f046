import { type CommandHost, readProcessHost } from '../operations/command-host.js';

/**
 * The library's only access to `process`. It leaves the standard streams and the signals of the process to the
 * program.
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
