import type { ConfigDump } from "./config-dump.ts";
import { fetchPage } from "./fetch-page.ts";

/** What a running server sent to a proxy that is connected to it. Throws `unavailable` and `not-found`. */
export async function fetchDump(server: string, node: string): Promise<ConfigDump> {
  return (await fetchPage(server, `/debug/resources?proxyID=${encodeURIComponent(node)}`)) as ConfigDump;
}
