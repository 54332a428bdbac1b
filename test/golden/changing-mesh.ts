import { assert } from "../../src/lib/assert.ts";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { capturePush } from "../../src/pilot/model/push-context.ts";
import { pushRequestFor } from "../../src/pilot/registry/push-request-for.ts";
import { Catalogue } from "../../src/pilot/xds/catalogue.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { proxyWithName } from "../../src/testing/model/proxy-with-name.ts";
import type { Lease } from "../../src/xds/resource-source.ts";
import { LoadedMesh } from "./generate.ts";

const proxies = [
  proxyWithName("sidecar~10.0.0.1~app-0.shop~shop.svc.cluster.local", { NAMESPACE: "shop" }),
  proxyWithName("router~10.0.0.2~gw-0.shop~shop.svc.cluster.local", { NAMESPACE: "shop", LABELS: { app: "gw" } }),
];

const virtualServices = 100;

/** A mesh of many services, some of them with routes of their own, seen by one sidecar and one router. */
export class ChangingMesh {
  readonly #mesh = new LoadedMesh();
  readonly #writer = new ProtoWriter();
  readonly #catalogue: Catalogue;
  #leases: readonly Lease[] = [];
  #changes = 0;

  constructor(services: number) {
    this.#mesh.graph.batch(() => {
      this.#load(gateway);
      for (let index = 0; index < services; index += 1) this.#load(service(index));
      for (let index = 0; index < virtualServices; index += 1) this.#load(virtualService(index, 1));
    });
    const push = capturePush(this.#mesh.environment.views(), 0);
    this.#catalogue = new Catalogue(createGenerators({ writer: this.#writer }), push, ({ cause }) => {
      throw cause;
    });
    this.#renewLeases();
  }

  /** How many messages were encoded so far. */
  get encodings(): number {
    return this.#writer.encodings;
  }

  /** Another timeout in one VirtualService, and what both proxies get then. */
  async change(): Promise<void> {
    this.#changes += 1;
    const commit = this.#mesh.graph.batch(() => this.#load(virtualService(7, this.#changes + 1)));
    const request = commit && pushRequestFor(commit, this.#mesh.environment, 0);
    assert(request !== undefined, "every change is one");
    const push = capturePush(this.#mesh.environment.views(), this.#changes);
    await this.#catalogue.advance(push, request, () => Promise.resolve());
    this.#renewLeases();
  }

  #load(text: string): void {
    this.#mesh.load({ file: "mesh.yaml", text });
  }

  #renewLeases(): void {
    const renewed = proxies.flatMap((proxy) =>
      this.#catalogue.types.map((type) => this.#catalogue.lease(type, proxy, "all")),
    );
    for (const lease of this.#leases) lease.end();
    this.#leases = renewed;
  }
}

function object(kind: string, name: string, spec: object): string {
  const metadata = { name, namespace: "shop" };
  return JSON.stringify({ apiVersion: "networking.istio.io/v1", kind, metadata, spec });
}

/** On a hundred ports: a port that all services share is one route configuration, and grows with them. */
function service(index: number): string {
  return object("ServiceEntry", `service-${index}`, {
    hosts: [`service-${index}.example.com`],
    ports: [{ number: 8000 + (index % 100), name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: [{ address: "10.1.0.1" }],
  });
}

function virtualService(index: number, timeoutMs: number): string {
  const host = `service-${index}.example.com`;
  const http = [{ timeout: `${timeoutMs}ms`, route: [{ destination: { host } }] }];
  return object("VirtualService", `service-${index}`, { hosts: [host], gateways: ["shop/gw", "mesh"], http });
}

const gateway = object("Gateway", "gw", {
  selector: { app: "gw" },
  servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
});
