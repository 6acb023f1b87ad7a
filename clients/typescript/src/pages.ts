// Lists that are read page by page, and the log of changes.
import type { components } from "./contract.js";
import { PagesMovedError } from "./errors.js";
import type { Response } from "./response.js";
import type { Params } from "./transport.js";

const mostTurns = 5; // how often a list is begun again before its reader is told

export interface Page<T> {
  data: T[];
  meta: components["schemas"]["PaginationMeta"];
}

/**
 * The items of a list, to the end: iterate over it, or over pages().
 *
 * If the catalogue is published in between, reading begins again with the first page, and items that were already given are
 * left out: an item of the new edition that moved to an earlier page is not missed, and none comes twice.
 */
export class Pages<T extends { slug: string }> implements AsyncIterable<T> {
  /** The response that was read last: its quota, its credit line, its `value.meta`. */
  last: Response<Page<T>> | undefined;

  constructor(private readonly fetch: (params: Params) => Promise<Response<Page<T>>>, private readonly params: Params) {}

  /** Yields whole pages. One with a smaller number than the one before says that reading began again. */
  async *pages(): AsyncGenerator<Response<Page<T>>, void, undefined> {
    const first = Number(this.params["page"] ?? 1);
    let number = first;
    let params = this.params;
    let state = "";
    for (let turns = 1; ; ) {
      const page = await this.fetch(params);
      if (state && page.cursor && page.cursor !== state) {
        if (turns++ === mostTurns) {
          throw new PagesMovedError(`the catalogue was published ${mostTurns} times while it was being read`);
        }
        // If they differ again, shared caches hold pages of different ages: a parameter that the service ignores gets past them.
        params = { ...this.params, page: first, ...(turns > 2 && { reading: page.cursor }) };
        [number, state] = [first, ""];
        continue;
      }
      state = page.cursor;
      this.last = page;
      yield page;
      if (number >= page.value.meta.pages) return;
      params = { ...params, page: ++number };
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const given = new Set<string>();
    for await (const page of this.pages()) {
      for (const item of page.value.data) {
        if (given.has(item.slug)) continue;
        given.add(item.slug);
        yield item;
      }
    }
  }
}

type ChangeList = components["schemas"]["ChangeList"];

/**
 * The events after a cursor, oldest first, until there are no more for now.
 *
 * `cursor` is where to go on from. It moves once all events of a page were taken, so that none is lost if yours stops before:
 * store it together with what you did. Events may come twice, which changes nothing if they are applied in order.
 */
export class Changes implements AsyncIterable<ChangeList["data"][number]> {
  cursor: string;
  last: Response<ChangeList> | undefined;

  constructor(private readonly fetch: (params: Params) => Promise<Response<ChangeList>>, private readonly params: Params) {
    this.cursor = String(params["since"] ?? "");
  }

  /** Yields whole pages; `value.next` of each is the cursor after it. */
  async *pages(): AsyncGenerator<Response<ChangeList>, void, undefined> {
    for (let more = true; more; ) {
      const page = await this.fetch({ ...this.params, since: this.cursor || undefined });
      this.last = page;
      yield page;
      more = page.value.more && page.value.next !== this.cursor;
      this.cursor = page.value.next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChangeList["data"][number], void, undefined> {
    for await (const page of this.pages()) yield* page.value.data;
  }
}
