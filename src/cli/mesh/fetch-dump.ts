import type { ConfigDump } from "./config-dump.ts";
import { fetchPage } from "./fetch-page.ts";

/** Fetches the resources that a running server sent to a connected proxy. Throws `unavailable` and `not-found`. */
export async function fetchDump(server: string, node: string): Promise<ConfigDump> {
  return (await fetchPage(server, `/debug/resources?proxyID=${encodeURIComponent(node)}`)) as ConfigDump;
}
