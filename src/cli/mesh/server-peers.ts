import type { PeerAt, ProxiedPeer } from "../../explain/cluster/endpoint-peer.ts";
import type { Explanation } from "../../explain/explanation.ts";
import { fetchStatus, type ProxyStatus } from "../proxies/fetch-status.ts";
import { fetchDump } from "./fetch-dump.ts";
import { readDump } from "./proxy-dump.ts";

/** So many proxies are asked for: a cluster may have thousands of endpoints, which are mostly alike. */
const mostPeers = 8;

/**
 * The proxies at the endpoints that an explanation ends at, as far as they are connected to the same server. Throws
 * `unavailable`.
 */
export async function serverPeers(server: string, { steps }: Explanation): Promise<PeerAt> {
  const addresses = steps.flatMap((step) => (step.type === "cluster" ? step.endpoints : [])).map(addressOf);
  const wanted = [...new Set(addresses)].slice(0, mostPeers);
  if (wanted.length === 0) return () => undefined;
  const { proxies } = await fetchStatus(server);
  const found = new Map<string, ProxiedPeer>();
  for (const address of wanted) {
    const proxy = proxies.find(({ node }) => node.split("~")[1] === address);
    if (proxy !== undefined) found.set(address, await peerOf(proxy, server));
  }
  return (address) => found.get(address);
}

async function peerOf({ node, proxy, connection }: ProxyStatus, server: string): Promise<ProxiedPeer> {
  const { config } = readDump(await fetchDump(server, connection));
  const [type = ""] = node.split("~");
  return { type: "proxy", name: `${type} ${proxy}`, direction: type === "router" ? "gateway" : "inbound", config };
}

/** Without its port, and IPv6 without brackets. */
function addressOf({ address }: { readonly address: string }): string {
  return address.slice(0, address.lastIndexOf(":")).replace(/^\[(?<ip>.*)\]$/u, "$<ip>");
}
