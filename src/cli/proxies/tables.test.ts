import { describe, expect, test } from "vitest";
import { readMesh } from "../../app/offline/read-mesh.ts";
import { smallShop } from "../../testing/mesh/small-shop.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { dumpFor, readDump } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import { clusterTable } from "./cluster-table.ts";
import { endpointTable } from "./endpoint-table.ts";
import { extensionTable } from "./extension-table.ts";
import { listenerTable } from "./listener-table.ts";
import { routeTable } from "./route-table.ts";

/** The resources of the gateway in the small shop, with `more` objects in the same file. */
async function gatewayOfShop(more = "") {
  const inputs = [{ file: "shop.yaml", text: `${smallShop}${more}` }];
  const mesh = await readMesh({ inputs, mesh: undefined, domain: "cluster.local", clusterId: "Kubernetes" });
  const id = "router~10.0.0.9~gw-0.istio-system~istio-system.svc.cluster.local";
  return readDump(dumpFor(proxyWithName(id, { LABELS: { app: "gw" } }), mesh));
}

describe("tables", () => {
  test("have columns as wide as their widest cell, without trailing spaces", () => {
    expect(
      textTable(
        ["A", "B"],
        [
          ["long", ""],
          ["x", "y"],
        ],
      ),
    ).toBe("A      B\nlong\nx      y");
  });

  test("of clusters name the DestinationRule of each, with its place", async () => {
    expect(clusterTable(await gatewayOfShop())).toMatchInlineSnapshot(`
      "SERVICE FQDN                     PORT   SUBSET   DIRECTION   TYPE     DESTINATION RULE
      BlackHoleCluster                 -      -        -           STATIC
      reviews.shop.svc.cluster.local   9080   v1       outbound    EDS      reviews.shop (shop.yaml:22)
      reviews.shop.svc.cluster.local   9080   v2       outbound    EDS      reviews.shop (shop.yaml:22)
      reviews.shop.svc.cluster.local   9080   -        outbound    EDS      reviews.shop (shop.yaml:22)"
    `);
  });

  test("of listeners show the destination of each chain", async () => {
    expect(listenerTable(await gatewayOfShop())).toMatchInlineSnapshot(`
      "ADDRESS   PORT   MATCH   DESTINATION
      0.0.0.0   8080   ALL     Route: http.8080"
    `);
  });

  test("of extensions name the object of each, with its place", async () => {
    const plugin = `---
apiVersion: extensions.istio.io/v1alpha1
kind: WasmPlugin
metadata: { name: guard, namespace: istio-system }
spec: { url: "file:///guard.wasm" }
`;
    expect(extensionTable(await gatewayOfShop(plugin))).toMatchInlineSnapshot(`
      "ECDS NAME                                           TYPE   OBJECT
      extensions.istio.io/wasmplugin/istio-system.guard   Wasm   WasmPlugin guard.istio-system (shop.yaml:58)"
    `);
  });

  test("of routes have a line per match", async () => {
    expect(routeTable(await gatewayOfShop())).toMatchInlineSnapshot(`
      "NAME        VHOST NAME              DOMAINS            MATCH        VIRTUAL SERVICE
      http.8080   shop.example.com:8080   shop.example.com   /*           shop.shop (shop.yaml:31)
      http.8080   shop.example.com:8080   shop.example.com   /old/*       shop.shop (shop.yaml:31)
      http.8080   shop.example.com:8080   shop.example.com   /reviews/*   shop.shop (shop.yaml:31)"
    `);
  });

  test("of routes name the VirtualService of each line, not of the whole route configuration", async () => {
    const other = `---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: orders, namespace: shop}
spec:
  hosts: [shop.example.com]
  gateways: [istio-system/public]
  http: [{match: [{uri: {prefix: /orders}}], directResponse: {status: 200}}]
`;
    const rows = routeTable(await gatewayOfShop(other)).split("\n");
    const behind = rows.slice(1).map((row) => row.trim().split(/ {2,}/u).slice(-2));
    expect(Object.fromEntries(behind)).toEqual({
      "/*": "shop.shop (shop.yaml:31)",
      "/old/*": "shop.shop (shop.yaml:31)",
      "/orders/*": "orders.shop (shop.yaml:58)",
      "/reviews/*": "shop.shop (shop.yaml:31)",
    });
  });

  test("of endpoints have a line per endpoint and cluster, in eighty columns", async () => {
    const text = endpointTable(await gatewayOfShop());
    expect(text).toMatchInlineSnapshot(`
      "ENDPOINT        STATUS    CLUSTER
      10.0.0.1:9080   HEALTHY   outbound|9080|v1|reviews.shop.svc.cluster.local
      10.0.0.2:9080   HEALTHY   outbound|9080|v2|reviews.shop.svc.cluster.local
      10.0.0.1:9080   HEALTHY   outbound|9080||reviews.shop.svc.cluster.local
      10.0.0.2:9080   HEALTHY   outbound|9080||reviews.shop.svc.cluster.local"
    `);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("have more columns when they are wide: all objects behind a resource, and the action of each route", async () => {
    const known = await gatewayOfShop();
    const wide = (table: (known: Awaited<ReturnType<typeof gatewayOfShop>>, form: "wide") => string) =>
      table(known, "wide").replaceAll(/ {2,}/gu, " | ");
    expect(wide(clusterTable)).toMatchInlineSnapshot(`
      "SERVICE FQDN | PORT | SUBSET | DIRECTION | TYPE | DESTINATION RULE | LOAD BALANCING | TRANSPORT | OBJECTS
      BlackHoleCluster | - | - | - | STATIC | ROUND_ROBIN | plaintext
      reviews.shop.svc.cluster.local | 9080 | v1 | outbound | EDS | reviews.shop (shop.yaml:22) | LEAST_REQUEST | tlsMode-istio, tlsMode-disabled | DestinationRule reviews.shop (shop.yaml:22), ServiceEntry reviews.shop (shop.yaml:10)
      reviews.shop.svc.cluster.local | 9080 | v2 | outbound | EDS | reviews.shop (shop.yaml:22) | LEAST_REQUEST | tlsMode-istio, tlsMode-disabled | DestinationRule reviews.shop (shop.yaml:22), ServiceEntry reviews.shop (shop.yaml:10)
      reviews.shop.svc.cluster.local | 9080 | - | outbound | EDS | reviews.shop (shop.yaml:22) | LEAST_REQUEST | tlsMode-istio, tlsMode-disabled | DestinationRule reviews.shop (shop.yaml:22), ServiceEntry reviews.shop (shop.yaml:10)"
    `);
    expect(wide(listenerTable)).toMatchInlineSnapshot(`
      "ADDRESS | PORT | MATCH | DESTINATION | NAME | DIRECTION | OBJECTS
      0.0.0.0 | 8080 | ALL | Route: http.8080 | 0.0.0.0_8080 | outbound | Gateway public.istio-system (shop.yaml:1)"
    `);
    expect(wide(routeTable)).toMatchInlineSnapshot(`
      "NAME | VHOST NAME | DOMAINS | MATCH | VIRTUAL SERVICE | ROUTE | ACTION
      http.8080 | shop.example.com:8080 | shop.example.com | /* | shop.shop (shop.yaml:31) | testers | outbound|9080|v2|reviews.shop.svc.cluster.local
      http.8080 | shop.example.com:8080 | shop.example.com | /old/* | shop.shop (shop.yaml:31) | old | redirect
      http.8080 | shop.example.com:8080 | shop.example.com | /reviews/* | shop.shop (shop.yaml:31) | everybody | 80 % outbound|9080|v1|reviews.shop.svc.cluster.local, 20 % outbound|9080|v2|reviews.shop.svc.cluster.local"
    `);
    expect(wide(endpointTable)).toMatchInlineSnapshot(`
      "ENDPOINT | STATUS | CLUSTER | LOCALITY | PRIORITY | WEIGHT | OBJECTS
      10.0.0.1:9080 | HEALTHY | outbound|9080|v1|reviews.shop.svc.cluster.local | - | 0 | 1 | DestinationRule reviews.shop (shop.yaml:22), ServiceEntry reviews.shop (shop.yaml:10)
      10.0.0.2:9080 | HEALTHY | outbound|9080|v2|reviews.shop.svc.cluster.local | - | 0 | 1 | DestinationRule reviews.shop (shop.yaml:22), ServiceEntry reviews.shop (shop.yaml:10)
      10.0.0.1:9080 | HEALTHY | outbound|9080||reviews.shop.svc.cluster.local | - | 0 | 1 | DestinationRule reviews.shop (shop.yaml:22), ServiceEntry reviews.shop (shop.yaml:10)
      10.0.0.2:9080 | HEALTHY | outbound|9080||reviews.shop.svc.cluster.local | - | 0 | 1 | DestinationRule reviews.shop (shop.yaml:22), ServiceEntry reviews.shop (shop.yaml:10)"
    `);
  });
});
