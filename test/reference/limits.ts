import { jwksLimits } from "../../src/app/jwks/jwks-limits.ts";
import { prometheusLimits } from "../../src/app/rollout/prometheus-limits.ts";
import { otlpLimits } from "../../src/app/telemetry/otlp-limits.ts";
import { caLimits } from "../../src/ca/ca-limits.ts";
import { envoyLimits } from "../../src/cli/plan/envoy-limits.ts";
import { pageLimits } from "../../src/cli/mesh/page-limits.ts";
import { etcdLimits } from "../../src/etcd/etcd-limits.ts";
import { fleetLimits } from "../../src/fleet/fleet-limits.ts";
import { eurekaLimits } from "../../src/galley/source/eureka/eureka-limits.ts";
import { zooKeeperLimits } from "../../src/galley/source/zookeeper/zookeeper-limits.ts";
import { kubeLimits } from "../../src/kube/kube-limits.ts";
import type { Limit, LimitTable } from "../../src/lib/bounded/limit.ts";
import { sinkLimits } from "../../src/mcp/sink/sink-limits.ts";
import { clientLimits } from "../../src/transport/client/client-limits.ts";
import { issuerLimits } from "../../src/transport/credentials/issuer-limits.ts";
import { serverLimits } from "../../src/transport/server/server-limits.ts";
import { xdsLimits } from "../../src/xds/xds-limits.ts";
import { markdownTable } from "./table.ts";

/** A peer that this process calls, and the files of `src` that call it. */
export interface Edge {
  readonly name: string;
  readonly callers: readonly string[];
  readonly limits: LimitTable;
}

/** All peers that this process calls. A law of the architecture finds callers that are missing here. */
export const edges: readonly Edge[] = [
  { name: "A Kubernetes API server", callers: ["kube/kube-client.ts"], limits: kubeLimits },
  { name: "A Eureka server", callers: ["galley/source/eureka/eureka-server.ts"], limits: eurekaLimits },
  { name: "An etcd", callers: ["transport/client/grpc-connection.ts"], limits: etcdLimits },
  { name: "A ZooKeeper", callers: ["galley/source/zookeeper/client/dial.ts"], limits: zooKeeperLimits },
  { name: "A peer over gRPC (MCP, xDS)", callers: ["transport/client/grpc-client.ts"], limits: clientLimits },
  { name: "A collection of a peer (MCP, xDS), over all messages", callers: [], limits: sinkLimits },
  { name: "An OIDC issuer", callers: ["transport/credentials/fetch-keys.ts"], limits: issuerLimits },
  { name: "An issuer that a RequestAuthentication names", callers: ["app/jwks/get-checked.ts"], limits: jwksLimits },
  {
    name: "An OpenTelemetry collector (`--otlp-endpoint`)",
    callers: ["app/telemetry/export/otlp-client.ts"],
    limits: otlpLimits,
  },
  {
    name: "The Prometheus of staged rollouts (`--prometheus`)",
    callers: ["app/rollout/prometheus-gate.ts"],
    limits: prometheusLimits,
  },
  {
    name: "The server of a command (`--server`)",
    callers: ["cli/mesh/fetch-page.ts", "cli/watch/follow-events.ts"],
    limits: pageLimits,
  },
  { name: "The Envoy that judges a plan (`--envoy`)", callers: [], limits: envoyLimits },
  { name: "The server that `binnacle fleet` measures", callers: ["fleet/ads-call.ts"], limits: fleetLimits },
];

/** The clients that call this process over gRPC. */
const servers: readonly Omit<Edge, "callers">[] = [
  { name: "Clients of our gRPC servers (xDS, MCP)", limits: serverLimits },
  { name: "Content of xDS and MCP requests", limits: xdsLimits },
  { name: "Certificate requests", limits: caLimits },
];

export function limitsPage(): string {
  return `# Limits

These limits apply to data from peers that Binnacle calls. Binnacle counts bytes while they arrive, after decompression.
It reads nothing beyond a limit. If the peer of a source exceeds a limit, the source becomes *stale* and reports the limit
and the received amount. Its last good objects stay in use, and other sources continue. The source retries with growing
pauses. A command ends with the error [\`limit-exceeded\`](errors.md).

${sectionsOf(edges, "##")}
## Clients

If a client exceeds one of these limits, its stream ends with \`RESOURCE_EXHAUSTED\`. Other streams continue. Long texts
that are stored are cut, with a note of their full length.

${sectionsOf(servers, "###")}`;
}

function sectionsOf(tables: readonly Omit<Edge, "callers">[], heading: string): string {
  const header = ["limit on", "value", "reason"];
  return tables.map(({ name, limits }) => `${heading} ${name}\n\n${markdownTable(header, rowsOf(limits))}`).join("\n");
}

function rowsOf(limits: LimitTable): readonly (readonly string[])[] {
  return Object.values(limits).map((limit) => [limit.of, textOf(limit), limit.why]);
}

function textOf({ most, unit }: Limit): string {
  if (unit === "ms") return `${most / 1000} s`;
  if (unit === "count") return new Intl.NumberFormat("en").format(most).replaceAll(",", " ");
  return most % (1 << 20) === 0 ? `${most >> 20} MiB` : `${most >> 10} KiB`;
}
