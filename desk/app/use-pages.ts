import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { DeskEvent } from "../../src/desk/api/model/events.ts";
import type { Listing } from "../../src/desk/api/model/listing.ts";
import { type ApiFailure, ask } from "./api.ts";
import { live } from "./live.ts";
import { paced, whenVisible } from "./use-api.ts";

const pageSize = 100;
/** Lists are refreshed at most this often. */
const quietMs = 1000;

/** A long list, as far as it was read. The first page also has what the API says about the whole list. */
interface Pages<L extends Listing<unknown>> {
  readonly first?: L;
  readonly items: readonly L["items"][number][];
  readonly total: number;
  readonly failure?: ApiFailure;
  readonly loading: boolean;
}

export interface WatchedPages<L extends Listing<unknown>> extends Pages<L> {
  readonly retry: () => void;
  /** The rows in view: decides which page is read next, and which are kept up to date. */
  readonly show: (first: number, last: number) => void;
}

/**
 * A list that the server searches, filters and cuts into pages. Pages are read when their rows come into view, and the
 * pages in view are read again after events that concern the list.
 */
export function usePages<L extends Listing<unknown>>(
  path: string,
  parameters: string,
  concerns: (type: DeskEvent["type"]) => boolean,
): WatchedPages<L> {
  const [state, setState] = useState<Pages<L>>({ items: [], total: 0, loading: true });
  const [round, setRound] = useState(0);
  const pages = useRef<L[]>([]);
  const range = useRef({ first: 0, last: 0 });
  const grow = useRef<() => void>(() => undefined);

  useEffect(() => {
    pages.current = [];
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (index: number): Promise<ApiFailure | undefined> => {
      const cursor = index === 0 ? "" : `&cursor=${encodeURIComponent(pages.current[index - 1]?.next ?? "")}`;
      const answer = await ask<L>(`${path}?limit=${pageSize}${cursor}${parameters}`, { signal });
      if (answer.type === "failure") {
        setState((last) => ({ ...last, failure: answer.failure, loading: false }));
        return answer.failure;
      }
      pages.current[index] = answer.value;
      // The end has moved forward: later pages are gone.
      if (answer.value.next === undefined) pages.current.length = index + 1;
      const [first] = pages.current;
      const items = pages.current.flatMap((page) => page.items);
      setState({ ...(first && { first }), items, total: answer.value.total, loading: false });
      // The rows in view may be beyond this page, and do not change then.
      grow.current();
      return undefined;
    };
    const refresh = whenVisible(signal, quietMs, async () => {
      const lastPage = Math.min(pageAt(range.current.last), Math.max(0, pages.current.length - 1));
      // The first page has the facts about the whole list.
      const shown = new Set([0, pageAt(range.current.first), lastPage]);
      for (const index of shown) {
        const failure = index <= pages.current.length ? await read(index) : undefined;
        if (failure !== undefined) return failure.retryAfterMs;
      }
      return undefined;
    });
    grow.current = paced(0, signal, async () => {
      const last = pages.current.at(-1);
      const loaded = pages.current.length * pageSize;
      if (last?.next === undefined || range.current.last <= loaded - pageSize / 2) return undefined;
      return (await read(pages.current.length))?.retryAfterMs;
    });
    refresh();
    const unfollow = live.follow(({ type }) => {
      if (type === "reset" || concerns(type)) refresh();
    });
    return () => {
      controller.abort();
      unfollow();
    };
  }, [path, parameters, round]);

  const show = useCallback((first: number, last: number) => {
    range.current = { first, last };
    grow.current();
  }, []);
  const retry = useCallback(() => setRound((last) => last + 1), []);
  return { ...state, retry, show };
}

function pageAt(row: number): number {
  return Math.floor(row / pageSize);
}
