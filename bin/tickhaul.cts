#!/usr/bin/env node
import os = require('node:os');

/** libuv's own number of threads. */
const MIN_THREADS = 4;
const MAX_THREADS = 64;

/**
 * The published command: sizes the pool of threads in which Node reads files and runs zlib, then starts the entry
 * point. This file is CommonJS, since Node 20 loads ES modules with the pool, whose size is fixed at its first use.
 */
process.env['UV_THREADPOOL_SIZE'] ||= String(
  Math.max(MIN_THREADS, Math.min(MAX_THREADS, os.availableParallelism())),
);
import('./tickhaul.js');
