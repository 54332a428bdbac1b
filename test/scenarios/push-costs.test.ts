import { describe, expect, test } from "vitest";
import { assert } from "../../src/lib/assert.ts";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { capturePush } from "../../src/pilot/model/push-context.ts";
import { pushRequestFor } from "../../src/pilot/registry/push-request-for.ts";
import { Catalogue } from "../../src/pilot/xds/catalogue.ts";
import type { Generator } from "../../src/pilot/xds/generator.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { functionCalls } from "../../src/testing/counting/function-calls.ts";
import { HeldLeases } from "../../src/testing/mesh/held-leases.ts";
import { proxyWithName } from "../../src/testing/model/proxy-with-name.ts";
import { LoadedMesh } from "../golden/generate.ts";

const services = 20;

function object(kind: string, index: number, spec: object): string {
  const metadata = { name: `service-${index}`, namespace: `ns-${index % 2}` };
  return JSON.stringify({ apiVersion: "networking.istio.io/v1", kind, metadata, spec });
}

const hostOf = (index: number) => `service-${index}.ns-${index % 2}.svc.cluster.local`;

/** Sidecar 7 is the first endpoint of service 7. */
function service(index: number, endpoints = 1): string {
  return object("ServiceEntry", index, {
    hosts: [hostOf(index)],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: Array.from({ length: endpoints }, (_, endpoint) => ({ address: `10.${endpoint}.0.${index + 1}` })),
  });
}

function rule(maxConnections: number): string {
  return object("DestinationRule", 0, {
    host: hostOf(0),
    trafficPolicy: { connectionPool: { tcp: { maxConnections } } },
  });
}

function route(timeout: string, match?: object): string {
  const http = [{ timeout, ...(match && { match: [match] }), route: [{ destination: { host: hostOf(0) } }] }];
  return object("VirtualService", 0, { hosts: [hostOf(0)], http });
}

/** A VirtualService for connections from some clients. */
function labelledConnections(sourceLabels: object): string {
  const tcp = [{ match: [{ sourceLabels }], route: [{ destination: { host: hostOf(1) } }] }];
  return object("VirtualService", 1, { hosts: [hostOf(1)], tcp });
}

const proxies = Array.from({ length: services }, (_, index) => {
  const namespace = `ns-${index % 2}`;
  const id = `sidecar~10.0.0.${index + 1}~pod-${index}.${namespace}~${namespace}.svc.cluster.local`;
  return proxyWithName(id, { NAMESPACE: namespace });
});

/** A mesh with a sidecar per service. Counts the proxies for which the inputs of parts are made, by type. */
class CountedMesh {
  readonly #mesh = new LoadedMesh();
  readonly #catalogue: Catalogue;
  readonly #leases: HeldLeases;
  readonly #made = new Map<string, Set<string>>();
  #edits = 0;

  constructor() {
    this.#load(...Array.from({ length: services }, (_, index) => service(index)), rule(1), route("1s"));
    const push = capturePush(this.#mesh.environment.views(), 0);
    const generators = createGenerators({ writer: new ProtoWriter() }).map((each) => this.#counted(each));
    this.#catalogue = new Catalogue(generators, push, ({ cause }) => {
      throw cause;
    });
    this.#leases = new HeldLeases(
      this.#catalogue,
      proxies.map((proxy) => ({ proxy })),
    );
  }

  /** Applies an edit, and renews all leases. Returns the proxies whose inputs were made again. */
  async edit(text: string): Promise<Readonly<Record<string, number>>> {
    const { environment } = this.#mesh;
    const commit = this.#load(text);
    const request = commit && pushRequestFor(commit, environment, 0);
    assert(request !== undefined, "every edit changes something");
    await this.#catalogue.advance(capturePush(environment.views(), ++this.#edits), request, () => Promise.resolve());
    this.#made.clear();
    this.#leases.renew();
    return Object.fromEntries(Array.from(this.#made, ([type, names]) => [type, names.size]));
  }

  #load(...texts: readonly string[]) {
    return this.#mesh.graph.batch(() => {
      for (const text of texts) this.#mesh.load({ file: "mesh.yaml", text });
    });
  }

  #counted(generator: Generator): Generator {
    const note = (nodeId: string) => {
      const names = this.#made.get(generator.shortName) ?? new Set();
      this.#made.set(generator.shortName, names.add(nodeId));
    };
    const families = generator.families.map((family) => ({
      ...family,
      parts: (...[proxy, push, asked]: Parameters<typeof family.parts>) => {
        note(proxy.nodeId);
        return family.parts(proxy, push, asked);
      },
    }));
    return { ...generator, families };
  }
}

describe("the inputs of parts are made again", () => {
  test("after an edit of endpoints only for the proxies at these addresses", async () => {
    const mesh = new CountedMesh();
    expect(await mesh.edit(service(0, 2))).toEqual({});
    const own = Object.values(await mesh.edit(service(0, 0)));
    expect(new Set(own)).toEqual(new Set([1]));
  });

  test("for no proxy after an edit of a DestinationRule", async () => {
    expect(await new CountedMesh().edit(rule(2))).toEqual({});
  });

  test("for no proxy after an edit of a VirtualService without a match on labels of clients", async () => {
    expect(await new CountedMesh().edit(route("2s"))).toEqual({});
  });

  test("after an edit of a match on labels of clients only for the types that are built from routes", async () => {
    const mesh = new CountedMesh();
    const sourceLabels = { app: "web" };
    expect(await mesh.edit(route("1s", { sourceLabels }))).toEqual({ LDS: services, RDS: services });
    expect(await mesh.edit(route("2s", { sourceLabels }))).toEqual({ LDS: services, RDS: services });
    expect(await mesh.edit(labelledConnections(sourceLabels))).toEqual({ LDS: services, RDS: services });
  });
});

const writer = new ProtoWriter();

function isCounted(url: string): boolean {
  return url.includes("/networking/route/sidecar/");
}

/** The routes of one sidecar in a mesh of so many services, before and after an edit of objects. */
function editedRoutes(count: number, { before, after }: Record<"before" | "after", readonly string[]>) {
  const mesh = new LoadedMesh();
  const load = (text: string) => mesh.load({ file: "mesh.yaml", text });
  const loaded = (texts: readonly string[], sequence: number) => {
    const commit = mesh.graph.batch(() => texts.forEach(load));
    const request = commit && pushRequestFor(commit, mesh.environment, 0);
    return { push: capturePush(mesh.environment.views(), sequence), changed: request?.changed ?? new Set() };
  };
  const [family] = createGenerators({ writer }).flatMap(({ shortName, families }) =>
    shortName === "RDS" ? families.filter(({ name }) => name === "sidecar") : [],
  );
  const [proxy] = proxies;
  assert(family !== undefined && proxy !== undefined, "sidecars have routes");
  const { push: since } = loaded([...Array.from({ length: count }, (_, index) => service(index)), ...before], 0);
  const [inputs = {}] = family.parts(proxy, since, "all");
  family.generate({ inputs, push: since });
  const { push, changed } = loaded(after, 1);
  return (extent: "all" | "changed" = "all") =>
    family.generate({ inputs, push, ...(extent === "changed" && { since: { push: since, changed } }) }).resources;
}

/** Calls of the functions that make the hosts of a sidecar's routes, for an edit of one VirtualService. */
async function callsPerEdit(count: number, ...others: readonly string[]): Promise<number> {
  const edited = editedRoutes(count, { before: [route("1s"), ...others], after: [route("2s")] });
  let resources = 0;
  const calls = await functionCalls(isCounted, () => {
    resources = edited().length;
  });
  expect(resources).toBe(1);
  return calls;
}

const sticky = object("DestinationRule", 1, {
  host: hostOf(1),
  trafficPolicy: { loadBalancer: { consistentHash: { useSourceIp: true } } },
});

test.each([
  ["in a mesh without session affinity", []],
  ["in a mesh with session affinity for another host", [sticky]],
])("one edited VirtualService visits one host, among 20 and among 200, %s", async (_, others) => {
  const few = await callsPerEdit(20, ...others);
  expect(few).toBeGreaterThan(0);
  expect(await callsPerEdit(200, ...others)).toBe(few);
});

test("one edited VirtualService is read for the services that its scope needs, and no other", async () => {
  const others = Array.from({ length: 10 }, (_, index) => {
    return object("VirtualService", index + 1, {
      hosts: [hostOf(index + 1)],
      http: [{ route: [{ destination: { host: hostOf(0) } }] }],
    });
  });
  const edited = editedRoutes(20, { before: [route("1s"), ...others], after: [route("2s")] });
  const read = await functionCalls(
    (url) => url.includes("/model/scope/referenced-services.ts"),
    () => edited(),
    (name) => name === "callersOf",
  );
  expect(read).toBe(1);
});

/** Hosts that are made, and messages that are encoded, when a service comes beside so many others. */
async function workPerNewService(count: number): Promise<readonly number[]> {
  const edited = editedRoutes(count, { before: [route("1s"), rule(1)], after: [service(count)] });
  const encoded = writer.encodings;
  const hosts = await functionCalls(
    isCounted,
    () => edited("changed"),
    (name) => name === "madeHost",
  );
  return [hosts, writer.encodings - encoded];
}

test("one new service makes one host, among 20 and among 200", async () => {
  // A route, the host with it, and the route configuration.
  expect(await workPerNewService(20)).toEqual([1, 3]);
  expect(await workPerNewService(200)).toEqual([1, 3]);
});

test("routes after an edit equal fresh ones if a VirtualService without routes takes a host from a wildcard", () => {
  const wildcard = object("VirtualService", 1, {
    hosts: ["*.ns-0.svc.cluster.local"],
    http: [{ timeout: "5s", route: [{ destination: { host: hostOf(0) } }] }],
  });
  /** Its only route is for another port. */
  const elsewhere = (host: string) => {
    const http = [{ match: [{ port: 9999 }], route: [{ destination: { host: hostOf(0) } }] }];
    return object("VirtualService", 0, { hosts: [host], http });
  };
  const before = [wildcard, elsewhere("other.example.com")];
  const after = [elsewhere(hostOf(2))];
  const fresh = editedRoutes(4, { before: [wildcard, ...after], after: [] });
  const versionsOf = (routes: ReturnType<typeof fresh>) => routes.map(({ name, version }) => `${name} ${version}`);
  const edited = versionsOf(editedRoutes(4, { before, after })());
  expect(edited).toEqual(versionsOf(fresh()));
  expect(edited).not.toEqual(versionsOf(editedRoutes(4, { before, after: [] })()));
});
