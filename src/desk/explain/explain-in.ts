import { signedBySecrets } from "../../admin/explain/signed-by.ts";
import { proxiesOf } from "../../admin/pilot/find-proxy.ts";
import type { PeerAt, ProxiedPeer } from "../../explain/cluster/endpoint-peer.ts";
import type { EnvoyConfig } from "../../explain/envoy-config.ts";
import { explain } from "../../explain/explain.ts";
import type { Explanation } from "../../explain/explanation.ts";
import { lookupFor } from "../../explain/near-misses/lookup-for.ts";
import { nearMissesFor } from "../../explain/near-misses/near-misses-for.ts";
import type { GuardContext } from "../../explain/policy/guard.ts";
import type { SimulatedRequest } from "../../explain/simulated-request.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import type { Connection } from "../../xds/connection.ts";

/** A mesh in which a request is explained: the live one, or one with other versions of objects. */
export interface ExplainedMesh {
  readonly push: PushContext;
  readonly configOf: (connection: Connection<Proxy>) => EnvoyConfig;
}

export interface ExplainQuestion {
  readonly connection: Connection<Proxy>;
  readonly request: SimulatedRequest;
  readonly context: GuardContext;
  /** The proxies at the other end are among these. */
  readonly peers: readonly Connection<Proxy>[];
}

/** As many as `binnacle explain --server` asks for: a cluster may have thousands of endpoints, which are mostly alike. */
const mostPeers = 8;

/** Explains a request, with the proxies at the other end and near misses. */
export function explainIn(mesh: ExplainedMesh, question: ExplainQuestion): Explanation {
  const { connection, request, context, peers } = question;
  const config = mesh.configOf(connection);
  const peerAt = peersOf(explain(config, request, context), peers, mesh);
  const explanation = explain(config, request, { ...context, peerAt, signedBy: signedBySecrets });
  const lookup = lookupFor(explanation, request);
  if (lookup === undefined) return { ...explanation, nearMisses: [] };
  const nearMisses = nearMissesFor({ proxy: connection.client, push: mesh.push }, lookup);
  return { ...explanation, nearMisses };
}

/** The proxies at the endpoints that an explanation ends at. */
function peersOf({ steps }: Explanation, peers: readonly Connection<Proxy>[], mesh: ExplainedMesh): PeerAt {
  const endpoints = steps.flatMap((step) => (step.type === "cluster" ? step.endpoints : []));
  const wanted = [...new Set(endpoints.map(({ address }) => addressOf(address)))].slice(0, mostPeers);
  const connections = proxiesOf({ connections: () => peers });
  const found = new Map<string, ProxiedPeer>();
  for (const address of wanted) {
    const peer = connections.find(({ client }) => client.nodeId.split("~")[1] === address);
    if (peer !== undefined) found.set(address, peerOf(peer, mesh));
  }
  return (address) => found.get(address);
}

function peerOf(connection: Connection<Proxy>, mesh: ExplainedMesh): ProxiedPeer {
  const { type, id } = connection.client;
  const direction = type === "router" ? "gateway" : "inbound";
  return { type: "proxy", name: `${type} ${id}`, direction, config: mesh.configOf(connection) };
}

/** Without its port, and IPv6 without brackets. */
function addressOf(address: string): string {
  return address.slice(0, address.lastIndexOf(":")).replace(/^\[(?<ip>.*)\]$/u, "$<ip>");
}
