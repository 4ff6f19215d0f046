import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Sandbox } from '../../src/sandbox/options.js';
import type { Filter } from '../../src/service/feed-filter.js';
import { forward } from '../helpers/forward.js';
import { serve } from '../service/loopback.js';
import { START } from './replaying.js';

/** What an exchange sent, and at which time: milliseconds from the story's first minute; a break has no channel. */
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

/** A raw data API that tells one story after the other. */
export interface StoryService extends Sandbox {
  story: Story;
  /** Minutes of the next answers, as they suggest it. */
  suggested: number;
  /** Whether an answer of several minutes is one gzip member, and not one a minute. */
  isOneMember: boolean;
}

/** Records come from the embedded service, slices from a story. */
export async function storyService(t: TestContext, service: Sandbox): Promise<StoryService> {
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
  const filters = JSON.parse(query.get('filters') ?? '[]') as readonly Filter[];
  const minutes = Number(query.get('sliceSize') ?? '1');
  const texts = Array.from({ length: minutes }, (_, at) => minuteText(story, minute + at, filters));
  to.setHeader('content-encoding', 'gzip');
  to.setHeader('x-slice-size', minutes);
  to.setHeader('x-suggested-slice-size', suggested);
  to.end(Buffer.concat((isOneMember ? [texts.join('')] : texts).map((text) => gzipSync(text))));
}

/** The lines of a minute of a story, with an empty one for each break. */
function minuteText(story: Story, minute: number, filters: readonly Filter[]): string {
  return story.events
    .filter(({ ms }) => Math.floor(ms / 60_000) === minute)
    .filter((event) => event.channel === undefined || isSelected(event, filters))
    .map(({ ms, channel, message }) => {
      const time = new Date((START + story.first) * 60_000 + ms).toISOString().slice(0, -1);
      return channel === undefined ? '\n' : `${time}1234Z ${JSON.stringify(message)}\n`;
    })
    .join('');
}

function isSelected({ channel, symbol = '' }: StoryEvent, filters: readonly Filter[]): boolean {
  return filters.some(
    (filter) => filter.channel === channel && (filter.symbols ?? [symbol]).includes(symbol),
  );
}

/**
 * What a raw replay of some minutes has to give.
 * @param from minutes of the story. @param to not included.
 */
export function rawAnswer(
  story: Story,
  filters: readonly Filter[],
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
