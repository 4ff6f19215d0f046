// Compiles the WebAssembly kernels (AssemblyScript) into dist, each only if its output is missing or older than its
// sources. `npm run build` calls it after tsc.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** With SIMD, without a runtime. */
const FLAGS = '-O3 --converge --runtime stub --noAssert --enable simd --enable bulk-memory';
/**
 * Memory is created by the caller. Addresses below `--memoryBase` are free for data shared by the kernel and its caller.
 */
const IMPORTED = '--importMemory --memoryBase 8192';
/** Memory shared with other threads, with its maximum size in pages of 64 KiB. */
const SHARED = `${IMPORTED} --enable threads --sharedMemory --maximumMemory 16384`;

/** Names of outputs are unique in the project, since the bundle has them in one folder. */
const KERNELS = [
  {
    source: 'src/gzip/assembly/line-counter.ts',
    output: 'dist/src/gzip/line-counter.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/gzip/assembly/inflate-kernel.ts',
    output: 'dist/src/gzip/inflate/inflate-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/gzip/assembly/token-kernel.ts',
    output: 'dist/src/gzip/inflate/token-kernel.wasm',
    flags: `${FLAGS} ${SHARED}`,
  },
  {
    source: 'src/format/assembly/row-scanner.ts',
    output: 'dist/src/format/csv/row-scanner.wasm',
    flags: `${FLAGS} ${SHARED}`,
  },
  {
    source: 'src/format/assembly/ndjson-kernel.ts',
    output: 'dist/src/format/ndjson/ndjson-kernel.wasm',
    flags: `${FLAGS} ${SHARED}`,
  },
  {
    source: 'src/format/columns/assembly/column-kernel.ts',
    output: 'dist/src/format/columns/column-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/format/assembly/lz4-kernel.ts',
    output: 'dist/src/format/lz4-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/format/assembly/snappy.ts',
    output: 'dist/src/format/snappy-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/market/day-file/assembly/message-kernel.ts',
    output: 'dist/src/market/day-file/message-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/replay/assembly/raw-line-kernel.ts',
    output: 'dist/src/replay/raw-line-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/exchange-adapters/message-text/assembly/level-kernel.ts',
    output: 'dist/src/exchange-adapters/message-text/level-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/export/freqtrade/assembly/trades-kernel.ts',
    output: 'dist/src/export/freqtrade/trades-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/export/hftbacktest/assembly/event-rows-kernel.ts',
    output: 'dist/src/export/hftbacktest/event-rows-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
  {
    source: 'src/export/nautilus/assembly/nautilus-kernel.ts',
    output: 'dist/src/export/nautilus/nautilus-kernel.wasm',
    flags: `${FLAGS} ${IMPORTED}`,
  },
];
/** Kernels import modules from each other's folders. */
const ASSEMBLIES = [...new Set(KERNELS.map(({ source }) => source.replace(/(?<=\/assembly)\/.*/, '')))];

const root = join(import.meta.dirname, '..');

/** The latest change of the outputs' inputs: all kernel sources, the compiler, and this file. */
function changed() {
  const sources = ASSEMBLIES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, folder, name)),
  );
  const compiler = join(root, 'node_modules/assemblyscript/package.json');
  return Math.max(...[...sources, compiler, import.meta.filename].map((path) => statSync(path).mtimeMs));
}

const newest = changed();
const stale = KERNELS.filter(({ output }) => {
  const found = statSync(join(root, output), { throwIfNoEntry: false });
  return !found || found.mtimeMs < newest;
});

if (stale.length > 0) {
  const { main } = await import('assemblyscript/asc');
  for (const { source, output, flags } of stale) {
    mkdirSync(join(root, dirname(output)), { recursive: true });
    const { error, stderr } = await main([source, '-o', output, '--baseDir', root, ...flags.split(' ')]);
    if (error) {
      process.stderr.write(`${stderr}${source}: ${error.message}\n`);
      process.exitCode = 1;
    }
  }
}
