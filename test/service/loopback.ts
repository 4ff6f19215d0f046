import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import {
  createServiceClient,
  type ServiceClient,
  type ServiceConfig,
} from '../../src/service/service-client.js';
import { cleanUp } from '../helpers/clean-up.js';

/** A server on loopback for one test; returns its address without a slash at the end. */
export async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  return listen(t, createServer(listener));
}

export async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client whose both hosts are this address. */
export function clientFor(t: TestContext, base: string, more: Partial<ServiceConfig> = {}): ServiceClient {
  const client = createServiceClient({
    apiUrl: base,
    datasetsUrl: base,
    stallTimeoutMs: 60_000,
    env: {},
    ...more,
  });
  cleanUp(t, () => client.close());
  return client;
}
