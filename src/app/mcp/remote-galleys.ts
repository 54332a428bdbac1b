import type { RemoteGalley } from "../../admin/ctrlz/config.ts";
import type { McpSource } from "../../galley/source/mcp/mcp-source.ts";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SinkObserver } from "../../mcp/mcp-observer.ts";
import { silentLogger } from "../log/silent-logger.ts";

/** The remote Galleys that this process reads from, and the callbacks for their streams. */
export interface RemoteGalleys {
  readonly logger: Logger;
  readonly observer: SinkObserver;
  /** Wraps a stream, to count and trace its messages. */
  readonly watched: (stream: GrpcStream) => GrpcStream;
  /** Called when the server accepts a stream that we opened. */
  readonly onTaken: () => void;
  /** Called when a caller is refused. */
  readonly onRefused: () => void;
  /** Every source that was created. Replaced sources are stopped. */
  readonly sources: McpSource[];
}

/** The Galleys that this process reads from now, for the pages. */
export function galleysOf({ sources }: Pick<RemoteGalleys, "sources">): readonly RemoteGalley[] {
  return sources.flatMap(({ name, session }) => {
    if (session === undefined) return [];
    const { attached, status: collections, journal: requests } = session.sink;
    return [{ name, attached, collections, requests }];
  });
}

const nothing = () => undefined;
const watched = (stream: GrpcStream) => stream;

/** For callers that only list the sources. */
export function unobservedGalleys(): RemoteGalleys {
  const observer = { attached: nothing, detached: nothing, received: nothing, acked: nothing, nacked: nothing };
  return { logger: silentLogger, observer, watched, onTaken: nothing, onRefused: nothing, sources: [] };
}
