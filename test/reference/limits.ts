import { pageLimits } from "../../src/cli/mesh/page-limits.ts";
import { fleetLimits } from "../../src/fleet/fleet-limits.ts";
import { etcdLimits } from "../../src/galley/source/etcd/etcd-limits.ts";
import { eurekaLimits } from "../../src/galley/source/eureka/eureka-limits.ts";
import { zooKeeperLimits } from "../../src/galley/source/zookeeper/zookeeper-limits.ts";
import { kubeLimits } from "../../src/kube/kube-limits.ts";
import type { Limit, LimitTable } from "../../src/lib/bounded/limit.ts";
import { sinkLimits } from "../../src/mcp/sink/sink-limits.ts";
import { peerLimits } from "../../src/transport/client/peer-limits.ts";
import { issuerLimits } from "../../src/transport/credentials/issuer-limits.ts";
import { serverLimits } from "../../src/transport/server/server-limits.ts";
import { xdsLimits } from "../../src/xds/xds-limits.ts";
import { table } from "./table.ts";

/** Somebody whom this process calls, and the file of `src` that does. */
export interface Edge {
  readonly name: string;
  readonly callers: readonly string[];
  readonly limits: LimitTable;
}

/** Everybody whom this process calls. A law of the architecture sees to it that nobody else is called. */
export const edges: readonly Edge[] = [
  { name: "A Kubernetes API server", callers: ["kube/kube-client.ts"], limits: kubeLimits },
  { name: "A Eureka server", callers: ["galley/source/eureka/eureka-server.ts"], limits: eurekaLimits },
  { name: "An etcd", callers: ["galley/source/etcd/etcd-client.ts"], limits: etcdLimits },
  { name: "A ZooKeeper", callers: ["galley/source/zookeeper/node-session.ts"], limits: zooKeeperLimits },
  { name: "A peer over gRPC (MCP, xDS)", callers: ["transport/client/grpc-client.ts"], limits: peerLimits },
  { name: "A collection of a peer (MCP, xDS), over all messages", callers: [], limits: sinkLimits },
  { name: "An OIDC issuer", callers: ["transport/credentials/fetch-keys.ts"], limits: issuerLimits },
  { name: "The server that a command asks (`--server`)", callers: ["cli/mesh/fetch-page.ts"], limits: pageLimits },
  { name: "The server that `binnacle fleet` measures", callers: ["fleet/ads-call.ts"], limits: fleetLimits },
];

/** Everybody who calls this process over gRPC. */
const servers: readonly Omit<Edge, "callers">[] = [
  { name: "Clients of our gRPC servers (xDS, MCP)", limits: serverLimits },
  { name: "What xDS and MCP clients say", limits: xdsLimits },
];

export function limitsPage(): string {
  return `# Limits

As much as is taken from those whom Binnacle calls. Bytes are counted while they come, after decompression, and nothing
is read beyond the limit. A source whose other side exceeds one is *stale*: it says which limit, and how much came; all
it knew stays in use, nothing of what was too much is applied, other sources go on, and it tries again, after longer
pauses each time. A command ends with the error [\`limit-exceeded\`](errors.md).

${sectionsOf(edges, "##")}
## Those who call

A client that exceeds one of these limits is refused: its stream ends with \`RESOURCE_EXHAUSTED\`, and others go on. Text
that is kept is cut, and says how long it was.

${sectionsOf(servers, "###")}`;
}

function sectionsOf(tables: readonly Omit<Edge, "callers">[], heading: string): string {
  const header = ["what", "limit", "why"];
  return tables.map(({ name, limits }) => `${heading} ${name}\n\n${table(header, rowsOf(limits))}`).join("\n");
}

function rowsOf(limits: LimitTable): readonly (readonly string[])[] {
  return Object.values(limits).map((limit) => [limit.of, textOf(limit), limit.why]);
}

function textOf({ most, unit }: Limit): string {
  if (unit === "ms") return `${most / 1000} s`;
  if (unit === "count") return new Intl.NumberFormat("en").format(most).replaceAll(",", " ");
  return most % (1 << 20) === 0 ? `${most >> 20} MiB` : `${most >> 10} KiB`;
}
