import type { IncomingMessage } from "node:http";
import { boundedLines } from "../lib/bounded/bounded-lines.ts";
import { MeshError } from "../lib/errors.ts";
import { isMapping } from "../lib/is-mapping.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { KubeClient } from "./kube-client.ts";
import { KubeError } from "./kube-error.ts";
import { type KubeObject, kubeObject } from "./kube-object.ts";
import { acceptOf, type Listed, selectorOf } from "./list.ts";

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  /** A bookmark has only a meaningful version. */
  readonly object: KubeObject;
}

export interface WatchOptions extends Listed {
  readonly query: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The time after which a silent stream counts as dead: a lost peer may not close the connection. */
  readonly silenceMs: () => number;
}

/**
 * Resolves when the server has accepted the watch. Each list of events is the result of one read. The iteration ends
 * when the server ends the watch properly. It throws the server's error, and it throws when the stream breaks.
 */
export async function openWatch(
  client: KubeClient,
  watching: WatchOptions,
): Promise<AsyncIterable<readonly WatchEvent[]>> {
  const { path, signal } = watching;
  const accept = acceptOf(watching, "PartialObjectMetadata");
  const query = { ...selectorOf(watching), ...watching.query, watch: "true", allowWatchBookmarks: "true" };
  const lineLimit = { what: `an event of the API server's watch of ${path}`, maxBytes: client.limits.eventBytes };
  const response = await client.open({ path, query, signal, accept });
  return eventsOf(response, boundedLines(response, lineLimit), watching);
}

async function* eventsOf(
  response: IncomingMessage,
  lines: AsyncIterable<readonly string[]>,
  { clock, silenceMs }: WatchOptions,
): AsyncGenerator<readonly WatchEvent[]> {
  const arm = () => {
    const ms = silenceMs();
    const silent = new MeshError("timeout", `the API server has been silent for ${ms / 1000} s`);
    return clock.after(ms, () => response.destroy(silent));
  };
  let disarm = arm();
  try {
    for await (const read of lines) {
      disarm();
      yield* parsed(read);
      disarm = arm();
    }
  } finally {
    disarm();
  }
}

/** Yields the events that came before an error, then throws the error. */
function* parsed(lines: readonly string[]): Iterable<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  for (const line of lines) {
    const event = parseEvent(line);
    if (event instanceof Error) {
      if (events.length > 0) yield events;
      throw event;
    }
    events.push(event);
  }
  if (events.length > 0) yield events;
}

function parseEvent(line: string): WatchEvent | Error {
  try {
    const raw: unknown = JSON.parse(line);
    const { type, object } = isMapping(raw) ? raw : {};
    if (type === "ERROR") return new KubeError(object, { code: 500 });
    if (isEventType(type)) return { type, object: kubeObject(object) };
    return new MeshError("peer-protocol", `the API server sent a watch event of an unknown type: ${String(type)}`);
  } catch (cause) {
    return new MeshError("peer-protocol", "the API server sent a watch event that cannot be read", { cause });
  }
}

function isEventType(type: unknown): type is WatchEvent["type"] {
  return type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK";
}
