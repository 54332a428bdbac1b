import type { GalleyElsewhere } from "../../admin/ctrlz/config.ts";
import type { McpSource } from "../../galley/source/mcp/mcp-source.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SinkObserver } from "../../mcp/observer.ts";
import { silentLogger } from "../log/silent-logger.ts";

/** The Galleys elsewhere that this process reads from, and who hears of them. */
export interface RemoteGalleys {
  readonly logger: Logger;
  readonly observer: SinkObserver;
  /** A stream that we opened was taken. */
  readonly onTaken: () => void;
  /** Somebody called and was not let in. */
  readonly onStranger: () => void;
  /** Filled as they are made; those that others took the place of are stopped. */
  readonly sources: McpSource[];
}

/** What pages show of the Galleys that we read from now. */
export function galleysOf({ sources }: Pick<RemoteGalleys, "sources">): readonly GalleyElsewhere[] {
  return sources.flatMap(({ name, session }) => {
    if (session === undefined) return [];
    const { attached, status: collections, journal: requests } = session.sink;
    return [{ name, attached, collections, requests }];
  });
}

const nothing = () => undefined;

/** For those who only want to know what sources there are. */
export function unheardGalleys(): RemoteGalleys {
  const observer = { attached: nothing, detached: nothing, received: nothing, acked: nothing, nacked: nothing };
  return { logger: silentLogger, observer, onTaken: nothing, onStranger: nothing, sources: [] };
}
