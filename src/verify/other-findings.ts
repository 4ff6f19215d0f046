import { whyNotFound } from '../base/disk-files.js';
import type { FindingEvent } from '../run/run-events.js';
import { isInside } from '../store/paths.js';
import { isStrayName } from '../store/stray-files.js';
import { classifyParts, findStrayNotes, removeStale } from './amend/part-findings.js';
import { findStaleUploads } from './amend/stale-uploads.js';
import type { Verification } from './verification.js';

/**
 * Findings besides the checked files: unrecorded files, temporary files left by earlier runs, and gaps. Stale
 * temporary files are removed if `clean` is set.
 * @param isLockOurs whether this run holds the folder's lock.
 * @throws TickhaulError `disk`.
 */
export async function* findOtherFindings(
  verification: Verification,
  isLockOurs: boolean,
): AsyncGenerator<FindingEvent> {
  const { input, scope, identified, days } = verification;
  yield* findUnknownFiles(verification);
  const { uploads } = input.destination;
  if (uploads) yield* findStaleUploads(uploads, scope, input.clean, input.signal);
  else yield* findLeftoverParts(verification, isLockOurs);
  // An existing file counts as a day of its series even without a record.
  for (const file of identified.values()) days.add(file, true);
  yield* days.gaps();
}

async function* findLeftoverParts(
  { input: { destination, owner, clean }, contents, scope }: Verification,
  isLockOurs: boolean,
): AsyncGenerator<FindingEvent> {
  const dir = destination.locate('');
  const parts = await classifyParts(dir, contents.parts, isLockOurs, owner.isAlive);
  // Without the lock, a note may belong to an active run. Outside the scope, its part may exist elsewhere.
  const notes = isLockOurs && scope.isWhole ? await findStrayNotes(dir, contents.parts) : [];
  for (const finding of [...parts, ...notes]) {
    yield finding.kind === 'stale' && clean ? await removeStale(dir, finding) : finding;
  }
}

function* findUnknownFiles({ input, contents, identified }: Verification): Generator<FindingEvent> {
  for (const path of contents.undecoded) {
    const message = `${path}: ${whyNotFound(path, 'is missing')}`;
    yield { event: 'finding', kind: 'unknown', path, message };
  }
  for (const path of contents.unknown) {
    const isIdentified = identified.has(path);
    if (isIdentified && input.adopt) continue;
    const obstacle = isStrayName(path)
      ? 'is that of a copy or of a system file; remove or rename the file'
      : isInside(path)
        ? 'does not identify its day file; tickhaul download with the right --layout records it'
        : 'cannot be recorded';
    const reason = isIdentified ? '' : `, and its name ${obstacle}`;
    yield {
      event: 'finding',
      kind: 'unknown',
      path,
      message: `${path}: not recorded in the manifest${reason}`,
    };
  }
}
