import { whyNotFound } from '../base/utf8-name.js';
import type { FindingEvent } from '../run/events.js';
import { isInside } from '../store/paths.js';
import { judgeParts, removeStale, strayNotes } from './amend/parts.js';
import { staleUploads } from './amend/uploads.js';
import type { Verification } from './verification.js';

/**
 * What there is to say beside the files that were checked: files that nobody recorded, what ended runs left, gaps. What
 * is stale is removed where that was asked for.
 * @param isLockOurs whether no other run can be the holder of the folder's lock.
 * @throws TickhaulError `disk`.
 */
export async function* findRest(
  verification: Verification,
  isLockOurs: boolean,
): AsyncGenerator<FindingEvent> {
  const { input, scope, tellable, days } = verification;
  yield* unknownFiles(verification);
  const { uploads } = input.destination;
  if (uploads) yield* staleUploads(uploads, scope, input.clean, input.signal);
  else yield* leftParts(verification, isLockOurs);
  // A file that is there counts, recorded or not.
  for (const file of tellable.values()) days.add(file, true);
  yield* days.gaps();
}

async function* leftParts(
  { input: { destination, owner, clean }, survey, scope }: Verification,
  isLockOurs: boolean,
): AsyncGenerator<FindingEvent> {
  const dir = destination.locate('');
  const parts = await judgeParts(dir, survey.parts, isLockOurs, owner.isAlive);
  // Without the lock, a note may be a live run's; and its part may lie elsewhere.
  const notes = isLockOurs && scope.isWhole ? await strayNotes(dir, survey.parts) : [];
  for (const finding of [...parts, ...notes]) {
    yield finding.kind === 'stale' && clean ? await removeStale(dir, finding) : finding;
  }
}

function* unknownFiles({ input, survey, tellable }: Verification): Generator<FindingEvent> {
  for (const path of survey.undecoded) {
    const message = `${path}: ${whyNotFound(path, 'is gone')}`;
    yield { event: 'finding', kind: 'unknown', path, message };
  }
  for (const path of survey.unknown) {
    const isTellable = tellable.has(path);
    if (isTellable && input.adopt) continue;
    const obstacle = isInside(path)
      ? 'does not tell which day file it is; tickhaul download with its --layout records it'
      : 'cannot be recorded';
    const why = isTellable ? '' : `, and its name ${obstacle}`;
    yield {
      event: 'finding',
      kind: 'unknown',
      path,
      message: `${path}: the manifest does not know it${why}`,
    };
  }
}
