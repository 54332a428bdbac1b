import { createMcpSource } from "../../galley/source/mcp/mcp-source.ts";
import { resourceSourcePath } from "../mcp/mcp-paths.ts";
import { onOff } from "../options/option-values.ts";
import { lineSettings, lineTo } from "./grpc-line.ts";
import type { MakeSource } from "./make-source.ts";
import { requestedCollections } from "./requested-collections.ts";
import { readQuery } from "./source-url.ts";

/** `mcp://HOST[:PORT]`: a remote Galley; with TLS, `mcps:`. */
export const mcpSource: MakeSource = (url, tools) => {
  const { clock, galleys, options: settings } = tools;
  const { incremental = true, ...query } = readQuery(url, { ...lineSettings, incremental: onOff });
  const source = createMcpSource({
    name: url.name,
    connection: lineTo(url, query, {
      ...galleys,
      plainScheme: "mcp",
      defaultPort: 9901,
      path: resourceSourcePath,
      clock,
      settings,
    }),
    collections: requestedCollections(tools),
    incremental,
    clock,
    random: Math.random,
    observer: galleys.observer,
  });
  galleys.sources.push(source);
  return source;
};
