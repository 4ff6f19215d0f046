/** A worker of a cluster that can't begin: what it was told to serve says how it ends. */
import cluster, { type Worker } from 'node:cluster';
import type { ErrorCode } from '../../../src/base/errors.js';
import { connectToPrimary } from '../../../src/server/cluster/connect-to-primary.js';

const worker = cluster.worker as Worker;
const { input, fail } = await connectToPrimary(worker);
const { code, message } = input as { readonly code?: ErrorCode; readonly message: string };
if (code === undefined) process.kill(process.pid, 'SIGKILL');
else await fail({ code, message });
worker.disconnect();
