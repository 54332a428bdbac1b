import { createMcpSource } from "../../galley/source/mcp/mcp-source.ts";
import { receivedCollections } from "../../galley/source/remote/received-collections.ts";
import { resourceSourcePath } from "../mcp/mcp-paths.ts";
import { onOff } from "../options/option-values.ts";
import { lineSettings, lineTo } from "./grpc-line.ts";
import type { MakeSource } from "./schemes.ts";
import { readQuery } from "./source-url.ts";

/** `mcp://HOST[:PORT]`: a Galley elsewhere; with TLS, `mcps:`. */
export const mcpSource: MakeSource = (url, { kinds, clock, galleys, options: settings }) => {
  const { incremental = true, ...query } = readQuery(url, { ...lineSettings, incremental: onOff });
  const source = createMcpSource({
    name: url.name,
    line: lineTo(url, query, {
      ...galleys,
      plainScheme: "mcp",
      defaultPort: 9901,
      path: resourceSourcePath,
      clock,
      settings,
    }),
    collections: receivedCollections(kinds),
    incremental,
    clock,
    random: Math.random,
    observer: galleys.observer,
  });
  galleys.sources.push(source);
  return source;
};
