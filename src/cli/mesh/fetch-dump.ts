import { fetchPage } from "./fetch-page.ts";
import type { ProxyDump } from "./proxy-dump.ts";

/** Fetches the resources that a running server sent to a connected proxy. Throws `unavailable` and `not-found`. */
export async function fetchDump(server: string, node: string): Promise<ProxyDump> {
  return (await fetchPage(server, `/debug/resources?proxyID=${encodeURIComponent(node)}`)) as ProxyDump;
}
