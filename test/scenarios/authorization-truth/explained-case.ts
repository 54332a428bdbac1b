import { create } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { readMesh } from "../../../src/app/offline/read-mesh.ts";
import { dumpFor, readDump } from "../../../src/cli/mesh/proxy-dump.ts";
import { describeNode } from "../../../src/cli/nodes/describe-node.ts";
import type { ProxyConfig } from "../../../src/explain/explain.ts";
import type { SimulatedRequest } from "../../../src/explain/simulated-request.ts";
import { proxyOf } from "../../../src/pilot/xds/node.ts";
import { ports } from "./arbitraries.ts";
import { objectsFor, tokenWith } from "./case.ts";
import type { TruthPolicy } from "./policy.ts";
import type { TruthRequest } from "./request.ts";

/** Where the sidecar of every case takes connections. */
export const address = "10.0.0.1";

/** The name of a case: of its namespace and of its workload. */
export function appOf(index: number): string {
  return `case-${index}`;
}

/** The configurations of the sidecars of several cases, all from one mesh. */
export async function configsFor(
  cases: readonly (readonly TruthPolicy[])[],
  meshFile: string,
): Promise<readonly ProxyConfig[]> {
  const objects = cases.flatMap((policies, index) => {
    const app = appOf(index);
    return [...objectsFor(policies, { namespace: app, app }), sidecarOf(app)];
  });
  const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  const settings = { domain: "cluster.local", clusterId: "Kubernetes" };
  const mesh = await readMesh({ inputs: [{ file: "cases.yaml", text }], mesh: meshFile, ...settings });
  const errors = mesh.issues.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(`a case is not valid: ${JSON.stringify(errors[0])}`);
  return cases.map((_, index) => {
    const app = appOf(index);
    const node = describeNode({
      ...settings,
      id: `sidecar~${address}~${app}-0.${app}~${app}.svc.cluster.local`,
      labels: { app },
      certificates: { type: "agent" },
      metadata: { INTERCEPTION_MODE: "NONE", NAMESPACE: app, INSTANCE_IPS: address, LABELS: { app } },
    });
    return readDump(dumpFor(proxyOf(create(NodeSchema, node)), mesh)).config;
  });
}

function sidecarOf(app: string): object {
  const ingress = (["http", "tcp"] as const).map((name) => ({
    port: { number: ports[name], protocol: name.toUpperCase(), name },
    bind: address,
    captureMode: "NONE",
    defaultEndpoint: "127.0.0.1:80",
  }));
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "Sidecar",
    metadata: { name: "own", namespace: app },
    spec: { workloadSelector: { labels: { app } }, ingress, egress: [{ hosts: ["~/*"] }] },
  };
}

/** The request as explain is asked about it. */
export function simulatedRequest(request: TruthRequest): SimulatedRequest {
  const { protocol, port, method, path, host, caller, sni, source } = request;
  const secure = {
    protocol: "tls",
    sni,
    alpn: ["istio"],
    clientCertificate: true,
    principal: `spiffe://${caller}`,
  } as const;
  return {
    port,
    address,
    direction: "inbound",
    method,
    path,
    host,
    headers: headersOf(request),
    sourceAddress: source,
    ...(caller === undefined ? { protocol } : secure),
  };
}

/** The headers that carry what policies look at. */
export function headersOf({
  headerA,
  headerMixed,
  forwardedFor,
  claims,
}: TruthRequest): Readonly<Record<string, string>> {
  return {
    ...(headerA !== undefined && { "x-a": headerA }),
    ...(headerMixed !== undefined && { "x-mixed": headerMixed }),
    ...(forwardedFor !== undefined && { "x-forwarded-for": `198.51.100.7, ${forwardedFor}` }),
    ...(claims !== undefined && { authorization: `Bearer ${tokenWith(claims)}` }),
  };
}
