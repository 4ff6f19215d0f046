// Many machines and object stores: the overhead of a queue over a download and its limits, downloads to an object store,
// manifests of a million records. See docs/benchmarks.md.
//   node bench/scale.js [--rounds <n>] [--scale <n>] [--only <section>]
// --rounds  number of rounds, each with all peers in turn (default 3)
// --scale   factor of 6,000 files of 64 KB, 600 of 1 MB, 120,000 slices, and a million records (default 1)
// --only    queue, enqueue, store or manifest; repeatable

import { withScratch } from './lib/scratch.js';
import { onRun, readOptions, runSections } from './lib/sections.js';
import { enqueueSection } from './scale/enqueue.js';
import { manifestSection } from './scale/manifest.js';
import { queueSection } from './scale/queue.js';
import { storeSection } from './scale/store.js';

/** Each returns its tables as text. */
const SECTIONS = {
  queue: queueSection,
  enqueue: enqueueSection,
  store: storeSection,
  manifest: manifestSection,
};

const options = readOptions();
const printed = Object.entries(SECTIONS).map(([name, section]) => [
  name,
  () =>
    withScratch(async (scratch, cleanUp) => {
      const text = await section(scratch, cleanUp, { ...options, onRun });
      process.stdout.write(`\n### ${text}\n`);
    }),
]);
await runSections(Object.fromEntries(printed), options);
