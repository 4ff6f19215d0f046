import { workerData } from 'node:worker_threads';
import { serveTasks } from '../../base/serve-tasks.js';
import { instantiateSync, type WasmMemory } from '../../base/wasm.js';
import {
  type ChunkJob,
  type DecodedChunk,
  decodeChunk,
  TOKEN_MODULE_URL,
  type TokenModule,
} from './token-memory.js';

/** Memory that a thread shares with the reader, and the address for its tables. */
export interface TokenThreadData {
  readonly memory: WasmMemory;
  readonly tables: number;
}

const { memory, tables } = workerData as TokenThreadData;
const module = instantiateSync<TokenModule>(TOKEN_MODULE_URL, memory);
module.setUp(tables);
const bytes = Buffer.from(memory.buffer);

serveTasks<ChunkJob, DecodedChunk | undefined>((job) => decodeChunk(module, bytes, job));
