import type { PeerAuthentication as IstioPeerAuthentication } from "#gen/istio/security/v1beta1/peer_authentication_pb.js";
import type { Config } from "../../../src/config/config.ts";
import { defaultMeshSettings } from "../../../src/pilot/model/mesh-settings.ts";
import { mtlsModeOf, mtlsPolicyFor } from "../../../src/pilot/model/mtls/mtls-policy.ts";
import { peerAuthenticationOf } from "../../../src/pilot/registry/peer-authentication.ts";
import { workloads } from "./workloads.ts";

/** All connections in plain text that workloads accept under these policies: `namespace app port`. */
export function acceptedConnections(configs: readonly Config[]): ReadonlySet<string> {
  const policies = configs.map((config) => peerAuthenticationOf(config as Config<IstioPeerAuthentication>));
  const byNamespace = Map.groupBy(policies, ({ namespace }) => namespace);
  const peerAuthenticationsByNamespace = Object.assign(byNamespace, { name: "policies" });
  const push = { peerAuthenticationsByNamespace, mesh: defaultMeshSettings };
  const connections = workloads.flatMap(({ namespace, app }) => {
    const policy = mtlsPolicyFor({ namespace, labels: { app } }, push);
    const ports = [80, 81].filter((port) => mtlsModeOf(policy, port) !== "strict");
    return ports.map((port) => `${namespace} ${app} ${port}`);
  });
  return new Set(connections);
}
