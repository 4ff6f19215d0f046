/** A worker of a cluster that fails to start; its options say how. */
import cluster, { type Worker } from 'node:cluster';
import type { ErrorCode } from '../../../src/base/errors.js';
import { connectToPrimary } from '../../../src/server/cluster/connect-to-primary.js';

const worker = cluster.worker as Worker;
const { input, fail } = await connectToPrimary(worker);
const { code, message } = input as { readonly code?: ErrorCode; readonly message: string };
if (code === undefined) process.kill(process.pid, 'SIGKILL');
else await fail({ code, message });
worker.disconnect();
