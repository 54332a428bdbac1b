import { expect, test } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { isKept, promiseOf } from "./support/envoy/promise.ts";
import { openShop, routesYaml } from "./support/envoy/shop.ts";
import { get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { configOf } from "./support/xds/held-config.ts";

const describeWithEnvoy = await describeWith("envoy");
const host = "shop.example.com";

const routes = routesYaml(`- match: [{uri: {exact: /exact}}, {headers: {x-user: {prefix: ja}}, uri: {prefix: /users}}]
  route: [{destination: {host: ratings.shop.svc.cluster.local}}]
- match: [{uri: {regex: "/item/[0-9]+"}}]
  rewrite: {uri: /rewritten}
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v2}}]
- match: [{method: {exact: GET}, queryParams: {beta: {exact: "yes"}}}]
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v2}}]
- match: [{withoutHeaders: {x-token: {}}, uri: {prefix: /private}}]
  directResponse: {status: 401, body: {string: no token}}
- match: [{uri: {prefix: /old/}}]
  redirect: {authority: new.example.com, uri: /moved, redirectCode: 308}
- match: [{uri: {prefix: /secure}}]
  redirect: {scheme: https}
- match: [{uri: {prefix: /port}}]
  redirect: {scheme: https, port: 8443}
- match: [{uri: {prefix: /nowhere}}]
  route: [{destination: {host: nobody.shop.svc.cluster.local}}]
- match: [{uri: {prefix: /}, ignoreUriCase: true}]
  route:
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v1}, weight: 50}
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v2}, weight: 50}`);

const requests: readonly {
  readonly path: string;
  readonly host?: string;
  readonly headers?: Record<string, string>;
}[] = [
  { path: "/" },
  { path: "/exact" },
  { path: "/exactly" },
  { path: "/users/1", headers: { "x-user": "jason" } },
  { path: "/users/1", headers: { "x-user": "mary" } },
  { path: "/item/42" },
  { path: "/item/42?beta=yes" },
  { path: "/item/abc" },
  { path: "/anything?beta=yes" },
  { path: "/anything?beta=no" },
  { path: "/private/page" },
  { path: "/private/page", headers: { "x-token": "t" } },
  { path: "/old/page" },
  { path: "/old/page?a=1" },
  { path: "/secure?a=1" },
  { path: "/secure", host: `${host}:80` },
  { path: "/secure", host: `${host}:1234` },
  { path: "/port", host: `${host}:1234` },
  { path: "/nowhere/page" },
  { path: "/", host: "elsewhere.example.com" },
  { path: "/", host: "SHOP.example.com" },
  { path: "/", host: `${host}:1234` },
];

describeWithEnvoy("traffic", () => {
  test("goes where explain says", async () => {
    await using shop = await openShop(routes);
    await using binnacle = await startBinnacle({ dir: shop.mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta" });
    await envoy.settled();
    const config = await configOf(gatewayNode, binnacle.xdsPort, [`http.${shop.port}.127.0.0.1`]);
    const names = new Map(Object.values(shop.workloads).map(({ name, port }) => [`127.0.0.1:${port}`, name]));

    const surprises: object[] = [];
    for (const request of requests) {
      const call = { host: request.host ?? host, headers: request.headers ?? {} };
      const explanation = explain(config, { ...call, port: shop.port, path: request.path, method: "GET" });
      const promise = promiseOf(explanation, names);
      const answer = await get(shop.port, request.path, call);
      const seen = { status: answer.status, by: answer.headers["x-echo"], location: answer.headers.location };
      if (!isKept(promise, answer)) surprises.push({ request, promise, seen });
    }
    expect(surprises).toEqual([]);
  });
});
