import { beforeAll, describe, expect, test } from "vitest";
import { askDesk, readDesk } from "../../../testing/desk/ask-desk.ts";
import { deskRig, nodeIn } from "../../../testing/desk/desk-rig.ts";
import type { ProxyDiff, ProxyResourceDetail, ResourceDiff, ResourceListing, ScopeListing } from "../model/proxies.ts";

const node = encodeURIComponent(nodeIn("aaa"));
const other = encodeURIComponent(nodeIn("bbb"));
let rig: Awaited<ReturnType<typeof deskRig>>;

const filter = `apiVersion: networking.istio.io/v1alpha3
kind: EnvoyFilter
metadata: {name: slower, namespace: aaa}
spec:
  configPatches:
  - applyTo: CLUSTER
    match: {context: SIDECAR_OUTBOUND, cluster: {service: store-aaa.aaa.svc.cluster.local}}
    patch: {operation: MERGE, value: {connect_timeout: 7s}}
  - applyTo: HTTP_FILTER
    match: {context: SIDECAR_OUTBOUND, listener: {portNumber: 80, filterChain: {filter: {name: envoy.filters.network.http_connection_manager}}}}
    patch:
      operation: INSERT_BEFORE
      value: {name: desk.lua, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua, inlineCode: "-- none"}}
`;

beforeAll(async () => {
  rig = await deskRig();
  rig.mesh.source.apply(filter);
  await rig.mesh.settle([rig.proxies.aaa, rig.proxies.bbb]);
});

const messages: Readonly<Record<string, string>> = {
  CDS: "Cluster",
  EDS: "ClusterLoadAssignment",
  LDS: "Listener",
  RDS: "RouteConfiguration",
};

describe("the resources of a proxy", () => {
  test("are exactly those that its stream was sent", async () => {
    const { items, total } = await readDesk<ResourceListing>(rig.state, `/proxies/${node}/resources?limit=200`);
    expect(items).toHaveLength(total);
    const wire = rig.mesh.tap.contentsOf(0);
    const shown = new Map<string, unknown>();
    for (const { type, name } of items) {
      const path = `/proxies/${node}/resources/${encodeURIComponent(name)}?type=${type}`;
      shown.set(`${messages[type]} ${name}`, (await readDesk<ProxyResourceDetail>(rig.state, path)).content);
    }
    expect(shown.size).toBeGreaterThan(8);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(wire));
  });

  test("are found by a name or by an object, in all types at once", async () => {
    const found = await readDesk<ResourceListing>(rig.state, `/proxies/${node}/resources?search=serviceentry/aaa`);
    expect(new Set(found.items.map(({ type }) => type))).toEqual(new Set(["CDS", "EDS", "LDS", "RDS"]));
    const one = await readDesk<ResourceListing>(rig.state, `/proxies/${node}/resources?search=store-aaa&type=EDS`);
    expect(one.items).toMatchObject([
      { type: "EDS", status: "SYNCED", owners: { items: [{ id: "ServiceEntry/aaa/store-aaa" }], total: 1 } },
    ]);
    expect(one.facets.type).toEqual(
      expect.arrayContaining([
        { value: "CDS", count: 1 },
        { value: "EDS", count: 1 },
      ]),
    );
  });

  test("are paged in the order of pushes", async () => {
    const names: string[] = [];
    let cursor = "";
    do {
      const path = `/proxies/${node}/resources?limit=3&cursor=${encodeURIComponent(cursor)}`;
      const page = await readDesk<ResourceListing>(rig.state, path);
      names.push(...page.items.map(({ type, name }) => `${type} ${name}`));
      cursor = page.next ?? "";
    } while (cursor !== "");
    const all = await readDesk<ResourceListing>(rig.state, `/proxies/${node}/resources?limit=200`);
    expect(names).toEqual(all.items.map(({ type, name }) => `${type} ${name}`));
    expect(names[0]).toMatch(/^CDS /u);
  });

  test("name the object and the line behind their parts", async () => {
    const routes = await readDesk<ProxyResourceDetail>(rig.state, `/proxies/${node}/resources/80?type=RDS`);
    const route = routes.parts.find(({ object }) => object.id === "VirtualService/aaa/routes-aaa");
    expect(route?.path).toMatch(/^virtual_hosts\[\d\]\.routes\[0\]$/u);
    expect(route?.object.reference).toBe("a.yaml:12");
    const name = "outbound|80||store-aaa.aaa.svc.cluster.local";
    const path = `/proxies/${node}/resources/${encodeURIComponent(name)}?type=CDS`;
    const { parts, owners } = await readDesk<ProxyResourceDetail>(rig.state, path);
    expect(parts).toContainEqual({
      path: "",
      object: expect.objectContaining({ id: "EnvoyFilter/aaa/slower", reference: "a.yaml:6" }),
      patch: "configPatches[0]",
    });
    expect(owners.items.map(({ id }) => id)).toContain("ServiceEntry/aaa/store-aaa");
  });

  test("name the place of an inserted filter in their own JSON", async () => {
    const path = `/proxies/${node}/resources/${encodeURIComponent("0.0.0.0_80")}?type=LDS`;
    const { parts, content } = await readDesk<ProxyResourceDetail>(rig.state, path);
    const inserted = parts.find(({ patch }) => patch === "configPatches[1]");
    expect(inserted?.object.reference).toBe("a.yaml:9");
    expect(valueAt(content, inserted?.path ?? "")).toMatchObject({ name: "desk.lua" });
  });

  test("of an unknown name or proxy are not found", async () => {
    const answers = await Promise.all([
      askDesk(rig.state, `/proxies/${node}/resources/none?type=CDS`),
      askDesk(rig.state, "/proxies/nobody/resources"),
    ]);
    expect(answers).toMatchObject([
      { status: 404, body: { error: `${nodeIn("aaa")} has no resource none of type CDS` } },
      { status: 404, body: { error: "nobody is not connected to this server" } },
    ]);
  });
});

function valueAt(content: unknown, path: string): unknown {
  return Array.from(path.matchAll(/[^.[\]]+/gu), ([key]) => key).reduce(
    (value: unknown, key) => (value as Readonly<Record<string, unknown>>)[key],
    content,
  );
}

describe("the difference of two proxies", () => {
  test("names resources by type, and the values that differ", async () => {
    const diff = await readDesk<ProxyDiff>(rig.state, `/proxies/${node}/diff?with=${other}`);
    const clusters = diff.types.find(({ type }) => type === "CDS");
    const name = "outbound|80||store-aaa.aaa.svc.cluster.local";
    expect(clusters?.different).toEqual({ items: [name], total: 1 });
    expect(clusters?.equal).toBeGreaterThan(1);
    const path = `/proxies/${node}/diff/${encodeURIComponent(name)}?with=${other}&type=CDS`;
    const { differences } = await readDesk<ResourceDiff>(rig.state, path);
    expect(differences.items).toEqual([{ path: "connect_timeout", here: "7s", there: "10s" }]);
  });

  test("of a proxy with itself is empty", async () => {
    const { types } = await readDesk<ProxyDiff>(rig.state, `/proxies/${node}/diff?with=${node}`);
    expect(
      types.every(({ different, onlyHere, onlyThere }) => different.total + onlyHere.total + onlyThere.total === 0),
    ).toBe(true);
    expect(types.reduce((sum, { equal }) => sum + equal, 0)).toBeGreaterThan(8);
  });

  test("needs another proxy", async () => {
    expect(await askDesk(rig.state, `/proxies/${node}/diff`)).toMatchObject({ status: 400 });
    expect(await askDesk(rig.state, `/proxies/${node}/diff?with=nobody`)).toMatchObject({ status: 404 });
  });
});

describe("the scope of a proxy", () => {
  test("names why the proxy sees each service", async () => {
    const { mesh, state, proxies } = await deskRig();
    const before = await readDesk<ScopeListing>(state, `/proxies/${node}/services`);
    expect(before.items.map(({ hostname, why }) => [hostname, why])).toEqual([
      ["store-aaa.aaa.svc.cluster.local", "exported to every namespace"],
      ["store-bbb.bbb.svc.cluster.local", "exported to every namespace"],
    ]);
    mesh.source.apply(`apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: narrow, namespace: aaa}
spec:
  egress: [{hosts: [./*]}]
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: routes-aaa, namespace: aaa}
spec:
  hosts: [store-aaa.aaa.svc.cluster.local]
  http: [{route: [{destination: {host: store-bbb.bbb.svc.cluster.local}}]}]
`);
    await mesh.settle([proxies.aaa, proxies.bbb]);
    const { items, facets } = await readDesk<ScopeListing>(state, `/proxies/${node}/services`);
    expect(items.map(({ hostname, why }) => [hostname, why])).toEqual([
      ["store-aaa.aaa.svc.cluster.local", "imported by egress[0] of the Sidecar"],
      ["store-bbb.bbb.svc.cluster.local", "a VirtualService in scope routes to it"],
    ]);
    expect(facets.namespace).toHaveLength(2);
    const within = await askDesk(state, `/proxies/${node}/services`, {
      viewer: { type: "namespace", namespace: "aaa" },
    });
    // The proxy has the service in its own configuration; the object of another namespace stays hidden.
    expect(within.body).toMatchObject({
      items: [{ object: { namespace: "aaa" } }, { hostname: "store-bbb.bbb.svc.cluster.local" }],
    });
    expect(JSON.stringify(within.body)).not.toContain("ServiceEntry/bbb");
  });
});
