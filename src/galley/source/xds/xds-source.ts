import type { Clock } from "../../../lib/time/clock.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { SinkObserver } from "../../../mcp/mcp-observer.ts";
import type { XdsSinkOptions } from "../../../mcp/xds/sink/xds-sink.ts";
import { type Line, RemoteSource } from "../remote/remote-source.ts";
import { XdsSession } from "./xds-session.ts";

export interface XdsSourceOptions
  extends Pick<XdsSinkOptions, "mode" | "node" | "takesSynthetic" | "revision" | "resyncMs" | "random" | "limits"> {
  readonly name: string;
  /** The connection to the aggregated discovery service. */
  readonly line: Line;
  /** The collections to subscribe to. */
  readonly collections: readonly McpCollection[];
  readonly clock: Clock;
  readonly observer: SinkObserver;
}

export type XdsSource = RemoteSource<XdsSession>;

/**
 * Reads a remote control plane, a real istiod or a Binnacle, over xDS. The source is stale without a stream, and until
 * a new stream has sent everything. All objects stay meanwhile.
 */
export function createXdsSource(options: XdsSourceOptions): XdsSource {
  return new RemoteSource({ ...options, newSession: (handler) => new XdsSession(options, handler) });
}
