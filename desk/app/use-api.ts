import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { DeskEvent } from "../../src/desk/api/model/events.ts";
import { type ApiFailure, ask } from "./api.ts";
import { live } from "./live.ts";

/** An answer of the API. A failed refresh keeps the last value, and says so. */
type Loaded<T> =
  | { readonly type: "loading" }
  | { readonly type: "ready"; readonly value: T; readonly failure?: ApiFailure }
  | { readonly type: "failed"; readonly failure: ApiFailure };

export interface Watched<T> {
  readonly loaded: Loaded<T>;
  /** Asks again from the beginning. */
  readonly retry: () => void;
  /** Asks again, and shows the last value meanwhile. */
  readonly refresh: () => void;
}

/** The new value after an event, or `refetch`, or undefined if the event does not concern the value. */
export type React<T> = (event: DeskEvent, value: T) => T | "refetch" | undefined;

/** At most one request per path in this time, however fast events arrive. */
const quietMs = 400;

interface Held<T> {
  readonly path: string;
  readonly loaded: Loaded<T>;
}

/** The answer at the path, kept up to date by the live stream. */
export function useApi<T>(path: string, react: React<T> = () => undefined): Watched<T> {
  const [held, setHeld] = useState<Held<T>>();
  const [round, setRound] = useState(0);
  const latest = useRef<{ react: React<T>; held: Held<T> | undefined }>({ react, held });
  latest.current = { react, held };
  const refreshNow = useRef<() => void>(() => undefined);

  useEffect(() => {
    const keep = (loaded: Loaded<T>) => {
      const next = { path, loaded };
      latest.current = { ...latest.current, held: next };
      setHeld(next);
    };
    const current = () => (latest.current.held?.path === path ? latest.current.held.loaded : undefined);
    const controller = new AbortController();
    const refresh = whenVisible(controller.signal, quietMs, async () => {
      const answer = await ask<T>(path, { signal: controller.signal });
      keep(answer.type === "answer" ? { type: "ready", value: answer.value } : afterFailure(current(), answer.failure));
      return answer.type === "failure" ? answer.failure.retryAfterMs : undefined;
    });
    refreshNow.current = refresh;
    refresh();
    const unfollow = live.follow((event) => {
      const loaded = current();
      if (event.type === "reset" || loaded?.type !== "ready") return refresh();
      const reaction = latest.current.react(event, loaded.value);
      if (reaction === "refetch") refresh();
      else if (reaction !== undefined) keep({ type: "ready", value: reaction });
    });
    return () => {
      controller.abort();
      unfollow();
    };
  }, [path, round]);

  const retry = useCallback(() => setRound((last) => last + 1), []);
  const refresh = useCallback(() => refreshNow.current(), []);
  return { loaded: held?.path === path ? held.loaded : { type: "loading" }, retry, refresh };
}

/** Resolves to the time after which it wants to run again, if it does. */
type PacedWork = () => Promise<number | undefined>;

/** As {@link paced}, but a page that nobody sees asks nothing: the work runs when somebody looks at the page again. */
export function whenVisible(signal: AbortSignal, quiet: number, work: PacedWork): () => void {
  let isDue = false;
  const run = paced(quiet, signal, async () => {
    isDue = document.hidden;
    return isDue ? undefined : await work();
  });
  document.addEventListener("visibilitychange", () => isDue && run(), { signal });
  return run;
}

/**
 * Runs the work at once, then at most once in this time. A server that wants no request for a while gets none, and one
 * after it. Nothing runs, and nothing is reported, after the signal.
 */
export function paced(quiet: number, signal: AbortSignal, work: PacedWork): () => void {
  let state: "idle" | "busy" | "again" = "idle";
  const run = async () => {
    if (signal.aborted) return;
    if (state !== "idle") {
      state = "again";
      return;
    }
    state = "busy";
    const afterMs = await work();
    setTimeout(
      () => {
        const again = state === "again" || afterMs !== undefined;
        state = "idle";
        if (again) start();
      },
      Math.max(quiet, afterMs ?? 0),
    );
  };
  const start = () => {
    run().catch((thrown: unknown) => {
      if (!signal.aborted) throw thrown;
    });
  };
  return start;
}

function afterFailure<T>(last: Loaded<T> | undefined, failure: ApiFailure): Loaded<T> {
  return last?.type === "ready" ? { type: "ready", value: last.value, failure } : { type: "failed", failure };
}
