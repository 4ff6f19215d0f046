import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import type { S3Client } from '@aws-sdk/client-s3';
import { withTimeout } from '../../base/wait.js';
import { createCredentialsError, createCredentialsTimeoutError } from './s3-errors.js';

type Credentials = Awaited<ReturnType<S3Client['config']['credentials']>>;

/** Loads the credentials of one connection from the SDK's sources. */
export interface CredentialSource {
  /**
   * @throws TickhaulError `store_refused` if there are none, `store_down` if their source does not respond.
   */
  load(): Promise<Credentials>;
  /** Ends programs and requests that are still running to load credentials. */
  close(): void;
}

/** Programs and requests that the SDK has started to load credentials. */
interface PendingLoads {
  /** Maps the function that ends one to its name for messages. */
  readonly names: Map<() => void, string>;
  /** Set when the time is over: anything started later is ended at once. */
  isOver: boolean;
}

const LOADS = new AsyncLocalStorage<PendingLoads>();

/**
 * The SDK waits for a program (`credential_process`) and for some hosts without a time limit, and cannot be
 * aborted. So diagnostics channels are used to find what it has started.
 */
let isSubscribed = false;

function subscribeOnce(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe('child_process', (message) => {
    const { process: child } = message as { readonly process: ChildProcess };
    register(child, () => endProgram(child), "the profile's credential_process");
  });
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { readonly request: ClientRequest };
    register(request, () => request.destroy(), request.host);
  });
}

function register(started: ChildProcess | ClientRequest, end: () => void, name: string): void {
  const loads = LOADS.getStore();
  if (!loads) return;
  if (loads.isOver) {
    end();
    return;
  }
  loads.names.set(end, name);
  started.once('close', () => loads.names.delete(end));
}

/** @param timeoutMs longest time for loading the credentials, from any source. */
export function openCredentials(provider: () => Promise<Credentials>, timeoutMs: number): CredentialSource {
  subscribeOnce();
  const loads: PendingLoads = { names: new Map(), isOver: false };
  let isClosed = false;
  let loading: Promise<Credentials> | undefined;
  const endLoads = (): void => {
    loads.isOver = true;
    for (const end of loads.names.keys()) end();
  };
  const loadOnce = async (): Promise<Credentials> => {
    loads.isOver = isClosed;
    const loaded = LOADS.run(loads, provider).catch((error: unknown) => {
      throw createCredentialsError(error);
    });
    const credentials = await withTimeout(loaded, timeoutMs);
    if (credentials) return credentials;
    const [source = 'their source'] = loads.names.values();
    endLoads();
    throw createCredentialsTimeoutError(source, timeoutMs);
  };
  return {
    load() {
      // Concurrent requests share one load.
      loading ??= loadOnce().finally(() => {
        loading = undefined;
      });
      return loading;
    },
    close() {
      isClosed = true;
      endLoads();
    },
  };
}

/** Kills a program and, where `/proc` lists them, its descendants, which would otherwise outlive it. */
function endProgram(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined) {
    child.once('spawn', () => endProgram(child));
    return;
  }
  if (exitCode === null && signalCode === null) killTree(pid);
  // A descendant that is still running may hold the other ends of the pipes.
  for (const pipe of child.stdio) pipe?.destroy();
}

function killTree(pid: number): void {
  // Stopped first: it must not start another program between the list and the kill.
  trySignal(pid, 'SIGSTOP');
  const children = listChildren(pid);
  trySignal(pid, 'SIGKILL');
  for (const child of children) killTree(child);
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** Process ids of all children; empty on systems without `/proc`. */
function listChildren(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
