import type { Clock } from "../../../lib/time/clock.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { SinkObserver } from "../../../mcp/observer.ts";
import type { XdsSinkOptions } from "../../../mcp/xds/sink/xds-sink.ts";
import { type Line, RemoteSource } from "../remote/remote-source.ts";
import { XdsSession } from "./xds-session.ts";

export interface XdsSourceOptions
  extends Pick<XdsSinkOptions, "mode" | "node" | "takesSynthetic" | "revision" | "resyncMs" | "random"> {
  readonly name: string;
  /** To the aggregated service of the protocol. */
  readonly line: Line;
  /** What is asked for. */
  readonly collections: readonly McpCollection[];
  readonly clock: Clock;
  readonly observer: SinkObserver;
}

export type XdsSource = RemoteSource<XdsSession>;

/**
 * A control plane somewhere else, a real istiod or one of us, read over xDS. It is stale while there is no stream, or
 * one that has not told everything yet; all it said stays.
 */
export function createXdsSource(options: XdsSourceOptions): XdsSource {
  return new RemoteSource({ ...options, newSession: (handler) => new XdsSession(options, handler) });
}
