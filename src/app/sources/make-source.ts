import type { Kind } from "../../config/kind.ts";
import type { Ledgers } from "../../galley/source/room/ledgers.ts";
import type { Source } from "../../galley/source/source.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { RemoteGalleys } from "../mcp/remote-galleys.ts";
import type { Options } from "../options/options.ts";
import type { SourceUrl } from "./source-url.ts";

/** The inputs of a source besides its URL. */
export interface SourceTools {
  /** The kinds of the mesh. Sources need not read other kinds. */
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly options: Options;
  /** Lists the remote Galleys and receives their events. */
  readonly galleys: RemoteGalleys;
  /** Decide which objects of each source fit into memory. Without them, all do. */
  readonly ledgers?: Ledgers;
}

/** Creates the source of a URL with its scheme. Throws `bad-option`. The source connects only when it starts. */
export type MakeSource = (url: SourceUrl, tools: SourceTools) => Source;
