import type { JsonValue } from "@bufbuild/protobuf";
import { ProtoWriter } from "../../../src/lib/proto-writer/proto-writer.ts";
import { capturePush } from "../../../src/pilot/model/push-context.ts";
import { createGenerators } from "../../../src/pilot/xds/generators.ts";
import { decodedResource } from "../../../src/testing/envoy/decoded-resource.ts";
import { LoadedMesh, proxyFrom } from "../../golden/generate.ts";

export const sidecar = proxyFrom({
  id: "sidecar~10.0.0.1~x-0.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", LABELS: { app: "x" }, ISTIO_VERSION: "1.29.6" },
});
export const other = proxyFrom({
  id: "sidecar~10.0.0.2~y-0.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", LABELS: { app: "y" }, ISTIO_VERSION: "1.29.6" },
});

export function service(name: string): object {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name, namespace: "shop" },
    spec: {
      hosts: [`${name}.shop.svc.cluster.local`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      endpoints: [{ address: "10.0.0.1", labels: { app: "x" } }],
    },
  };
}

export function filter(patches: readonly object[], selected?: string, name = "subject"): object {
  return {
    apiVersion: "networking.istio.io/v1alpha3",
    kind: "EnvoyFilter",
    metadata: { name, namespace: "shop" },
    spec: {
      ...(selected !== undefined && { workloadSelector: { labels: { app: selected } } }),
      configPatches: patches,
    },
  };
}

/** A mesh, the work that was done for it, and its resources. */
export class PatchedMesh {
  readonly writer = new ProtoWriter();
  readonly generators = createGenerators({ writer: this.writer });
  readonly #mesh = new LoadedMesh();

  constructor(...objects: readonly object[]) {
    this.load(...objects);
  }

  load(...objects: readonly object[]): void {
    const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
    this.#mesh.graph.batch(() => this.#mesh.load({ file: "mesh.yaml", text }));
  }

  push() {
    return capturePush(this.#mesh.environment.views(), 1);
  }

  resources(proxy = sidecar) {
    const push = this.push();
    return this.generators.flatMap(({ shortName, families }) =>
      families.flatMap((family) =>
        family
          .parts(proxy, push, "all")
          .flatMap((inputs) => family.generate({ inputs, push }).resources)
          .map((resource) => ({ type: shortName, resource })),
      ),
    );
  }

  named(type: string, name: string, proxy = sidecar): Record<string, JsonValue> | undefined {
    const found = this.resources(proxy).find((each) => each.type === type && each.resource.name === name);
    return found && decodedResource(found.resource);
  }

  encodings(work: () => unknown): number {
    const before = this.writer.encodings;
    work();
    return this.writer.encodings - before;
  }
}

/** A patch of the clusters of services. */
export const timeout = (seconds: number, match: object = {}) => ({
  applyTo: "CLUSTER",
  match: { context: "SIDECAR_OUTBOUND", ...match },
  patch: { operation: "MERGE", value: { connect_timeout: `${seconds}s` } },
});
/** Matches the cluster of the service `a`, which is `clusterA`. */
export const ofA = { cluster: { service: "a.shop.svc.cluster.local" } };
export const clusterA = "outbound|80||a.shop.svc.cluster.local";
