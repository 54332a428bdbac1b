/**
 * Serves Istio's documents one after the other to one real router and one real sidecar. Prints their verdicts as JSON.
 * Gateways listen on every address, so this runs in its own network namespace.
 */
import { istioDocuments } from "../../../src/testing/config/istio-documents.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { startBinnacle } from "../support/binnacle/server.ts";
import { type EnvoyProcess, startEnvoy } from "../support/envoy/envoy.ts";
import { ask, get } from "../support/http.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { type IssuedFiles, TestAuthority } from "../support/tls/certificates.ts";
import { objectYaml } from "../support/yaml.ts";

/** The verdict of the proxies on one document. */
export interface DocumentVerdict {
  readonly name: string;
  /** Empty when the proxies accepted everything. */
  readonly troubles: readonly string[];
}

const nodes = {
  router: {
    id: "router~127.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local",
    metadata: { NAMESPACE: "istio-system", LABELS: { istio: "ingressgateway", app: "my-gateway-controller" } },
  },
  sidecar: {
    id: "sidecar~1.1.1.1~app-0.default~default.svc.cluster.local",
    metadata: { NAMESPACE: "default", INSTANCE_IPS: "1.1.1.1", INTERCEPTION_MODE: "REDIRECT", SDS_MODE: "none" },
  },
} as const;

/** A service whose cluster shows that a proxy has received this document. */
function markerOf(index: number): string {
  return `marker-${index}.example.com`;
}

async function hasTaken(envoy: EnvoyProcess, httpPort: number, marker: string): Promise<boolean> {
  const { body } = await get(envoy.adminPort, "/config_dump?resource=dynamic_active_clusters&mask=cluster.name");
  const { body: status } = await get(httpPort, "/debug/syncz");
  const waiting = /"(?:STALE|NOT_SENT)"/iu.test(status);
  return body.includes(marker) && !waiting;
}

/** The same document with certificates that exist. */
function withCertificates(text: string, files: IssuedFiles): string {
  return text
    .replaceAll(/(?<=(?:server|client)Certificate: )\S+/gu, files.certificateChain)
    .replaceAll(/(?<=privateKey: )\S+/gu, files.privateKey)
    .replaceAll(/(?<=caCertificates: )\S+/gu, files.rootCertificates);
}

async function acceptAll(): Promise<readonly DocumentVerdict[]> {
  using mesh = new MeshDir();
  using authority = await TestAuthority.create();
  const files = await authority.issue("default", "app");
  await using binnacle = await startBinnacle({ dir: mesh.path });
  const { xdsPort, httpPort } = binnacle;
  await using router = await startEnvoy({ xdsPort, mode: "sotw", node: nodes.router });
  await using sidecar = await startEnvoy({ xdsPort, mode: "delta", node: nodes.sidecar });
  const verdicts: DocumentVerdict[] = [];
  for (const [index, { name, text }] of istioDocuments({ services: 20 }).entries()) {
    const marker = markerOf(index);
    const ports = [{ number: 9999, name: "tcp", protocol: "TCP" }];
    mesh.write("marker.yaml", objectYaml("ServiceEntry", "marker", { hosts: [marker], resolution: "DNS", ports }));
    mesh.write("document.yaml", withCertificates(text, files));
    const troubles: string[] = [];
    for (const envoy of [router, sidecar]) {
      const taken = () => hasTaken(envoy, httpPort, marker);
      await eventually(`a proxy takes ${name}`, taken, { seconds: 20 }).catch(() => troubles.push("is never taken"));
      const rejected = [...(await envoy.stats("update_rejected$"))].filter(([, count]) => count > 0);
      if (rejected.length > 0) troubles.push(...rejections(envoy.log()));
      await ask("POST", envoy.adminPort, "/reset_counters");
    }
    verdicts.push({ name, troubles });
  }
  return verdicts;
}

/** The latest rejections of Envoy. */
function rejections(log: string): readonly string[] {
  return log
    .split("\n")
    .filter((line) => line.includes("rejected"))
    .slice(-1);
}

process.stdout.write(`${JSON.stringify(await acceptAll())}\n`);
