import type { DeskEvent } from "../../desk/api/model/events.ts";
import { limitsOf } from "../../lib/bounded/limit.ts";
import { baseOf } from "../mesh/fetch-page.ts";
import { pageLimits } from "../mesh/page-limits.ts";
import { EventLines } from "./event-lines.ts";

export interface Follower {
  /** The stream is open: from now on, changes are events. */
  readonly onOpen: () => void;
  readonly onEvent: (type: DeskEvent["type"]) => void;
  readonly signal: AbortSignal;
}

/**
 * Follows the live events of a server, until the stream ends. Resolves in any case: a server without the desk has no
 * events, and a failure shows when the next page is read.
 */
export async function followEvents(server: string, { onOpen, onEvent, signal }: Follower): Promise<void> {
  const { silenceMs, exchangeMs } = limitsOf(pageLimits);
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), exchangeMs);
  try {
    const headers = { accept: "text/event-stream" };
    const response = await fetch(`${baseOf(server)}/api/v1/events`, {
      headers,
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) return await response.body?.cancel();
    onOpen();
    const lines = new EventLines();
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      for (const type of lines.take(text)) onEvent(type as DeskEvent["type"]);
    }
  } catch {
    // The stream broke. The caller reads a page next, which tells the reason.
  } finally {
    clearTimeout(timer);
  }
}
