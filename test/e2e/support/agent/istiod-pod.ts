import { peerPath } from "../../../../scripts/peer.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import type { Child } from "../child.ts";
import type { Pod } from "../pod/pod.ts";

const ports = { http: 8080, metrics: 15_014 };

/** A real istiod in a pod, with its certificate authority. Its objects are those of an API server. */
export async function startIstiod(pod: Pod, kubeconfig: string, cacerts: string): Promise<Child> {
  const flags = [
    "discovery",
    "--registries=Kubernetes",
    `--kubeconfig=${kubeconfig}`,
    "--networksConfig=none",
    "--clusterID=Kubernetes",
    "--grpcAddr=",
    "--secureGRPCAddr=0.0.0.0:15012",
    "--httpsAddr=",
    `--httpAddr=127.0.0.1:${ports.http}`,
    `--monitoringAddr=127.0.0.1:${ports.metrics}`,
  ];
  const env = {
    HOME: cacerts,
    INJECT_ENABLED: "false",
    // Envoy's own builds lack these filters of Istio's.
    PILOT_ENABLE_ALPN_FILTER: "false",
    PILOT_ENABLE_METADATA_EXCHANGE: "false",
    PILOT_ENABLE_TELEMETRY_LABEL: "false",
    PILOT_ENABLE_AMBIENT: "false",
    POD_NAME: "istiod-0",
    POD_NAMESPACE: "istio-system",
    REVISION: "default",
    ROOT_CA_DIR: cacerts,
    VALIDATION_WEBHOOK_CONFIG_NAME: "",
  };
  const child = pod.start(await peerPath("istiod"), flags, {
    cwd: cacerts,
    env: { PATH: process.env["PATH"], ...env },
  });
  const ready = () => pod.page(ports.http, "/ready").then(() => true);
  await eventually("a ready istiod", ready, { seconds: 30 }).catch((cause: unknown) => {
    throw new Error(`istiod is not ready:\n${child.log()}`, { cause });
  });
  return child;
}
