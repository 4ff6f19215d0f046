import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import type { FeedFilter } from '../../src/service/feed-filter.js';
import { forward } from '../helpers/forward.js';
import { serve } from '../service/loopback.js';
import { START } from './replaying.js';

/**
 * A message of an exchange with its time in milliseconds from the story's first minute; a disconnect has no
 * channel.
 */
export interface StoryEvent {
  readonly ms: number;
  readonly channel?: string;
  readonly symbol?: string;
  readonly message?: unknown;
}

export interface Story {
  /** Minutes from `START`. */
  readonly first: number;
  /** By time. */
  readonly events: readonly StoryEvent[];
}

/** A raw feeds API that serves one story after the other. */
export interface StoryService extends Sandbox {
  story: Story;
  /** Suggested minutes of the next responses. */
  suggested: number;
  /** Whether a response of several minutes is one gzip member, instead of one for each minute. */
  isOneMember: boolean;
}

/** Records are served by the embedded service, slices from a story. */
export async function startStoryService(t: TestContext, service: Sandbox): Promise<StoryService> {
  const passOn = forward(service.apiUrl);
  const apiUrl = await serve(t, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (!url.pathname.startsWith('/v1/data-feeds/')) return passOn(request, response);
    answerSlice(served, url.searchParams, response);
  });
  const story: Story = { first: 0, events: [] };
  const served: StoryService = { ...service, apiUrl, story, suggested: 1, isOneMember: false };
  return served;
}

function answerSlice(service: StoryService, query: URLSearchParams, to: ServerResponse): void {
  const { story, suggested, isOneMember } = service;
  const day = Date.parse(query.get('from') ?? '') / 60_000 - START;
  const minute = day + Number(query.get('offset')) - story.first;
  const filters = JSON.parse(query.get('filters') ?? '[]') as readonly FeedFilter[];
  const minutes = Number(query.get('sliceSize') ?? '1');
  const texts = Array.from({ length: minutes }, (_, at) => minuteText(story, minute + at, filters));
  to.setHeader('content-encoding', 'gzip');
  to.setHeader('x-slice-size', minutes);
  to.setHeader('x-suggested-slice-size', suggested);
  to.end(Buffer.concat((isOneMember ? [texts.join('')] : texts).map((text) => gzipSync(text))));
}

/** The lines of a minute of a story, with an empty line for each disconnect. */
function minuteText(story: Story, minute: number, filters: readonly FeedFilter[]): string {
  return story.events
    .filter(({ ms }) => Math.floor(ms / 60_000) === minute)
    .filter((event) => event.channel === undefined || isSelected(event, filters))
    .map(({ ms, channel, message }) => {
      const time = new Date((START + story.first) * 60_000 + ms).toISOString().slice(0, -1);
      return channel === undefined ? '\n' : `${time}1234Z ${JSON.stringify(message)}\n`;
    })
    .join('');
}

function isSelected({ channel, symbol = '' }: StoryEvent, filters: readonly FeedFilter[]): boolean {
  return filters.some(
    (filter) => filter.channel === channel && (filter.symbols ?? [symbol]).includes(symbol),
  );
}

/**
 * The expected output of a raw replay of some minutes.
 * @param from minutes of the story. @param to exclusive.
 */
export function expectedRawOutput(
  story: Story,
  filters: readonly FeedFilter[],
  from: number,
  to: number,
  withDisconnects: boolean,
): string {
  const minutes = Array.from({ length: to - from }, (_, at) => minuteText(story, from + at, filters));
  return minutes
    .join('')
    .replace(/^\n+/, '')
    .replaceAll(/(?<=\n)\n+/g, withDisconnects ? '\n' : '')
    .replaceAll(/^(.{28}) (.*)$/gm, '{"localTimestamp":"$1","message":$2}');
}
