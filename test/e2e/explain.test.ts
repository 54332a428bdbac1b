import { expect, test } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import type { Explanation } from "../../src/explain/explanation.ts";
import { startBinnacle } from "./support/binnacle.ts";
import { startEnvoy } from "./support/envoy.ts";
import { configOfGateway } from "./support/held-config.ts";
import { type Answer, get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { openShop, routesYaml } from "./support/shop.ts";

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

/** What the explanation promises a caller: a status, and who may have answered. */
function promised({ outcome, steps }: Explanation, names: ReadonlyMap<string, string>) {
  if (outcome.type === "redirect") return { status: outcome.status, location: outcome.location };
  if (outcome.type === "response") return { status: outcome.status, body: outcome.body };
  if (outcome.type !== "forwarded") return { status: outcome.type === "refused" ? outcome.status : undefined };
  const endpoints = steps.flatMap((step) => (step.type === "cluster" ? step.endpoints : []));
  return { status: 200, by: endpoints.map(({ address }) => names.get(address) ?? address) };
}

function kept(promise: ReturnType<typeof promised>, { status, headers, body }: Answer): boolean {
  if (status !== promise.status) return false;
  if (promise.location !== undefined) return headers.location === promise.location;
  if (promise.body !== undefined) return body === promise.body;
  return promise.by === undefined || promise.by.includes(String(headers["x-echo"]));
}

describeWithEnvoy("traffic", () => {
  test("goes where explain says", async () => {
    await using shop = await openShop(routes);
    await using binnacle = await startBinnacle({ dir: shop.mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta" });
    await envoy.settled();
    const config = await configOfGateway(binnacle.xdsPort, [`http.${shop.port}.127.0.0.1`]);
    const names = new Map(Object.values(shop.workloads).map(({ name, port }) => [`127.0.0.1:${port}`, name]));

    const surprises: object[] = [];
    for (const request of requests) {
      const call = { host: request.host ?? host, headers: request.headers ?? {} };
      const explanation = explain(config, { ...call, port: shop.port, path: request.path, method: "GET" });
      const promise = promised(explanation, names);
      const answer = await get(shop.port, request.path, call);
      const seen = { status: answer.status, by: answer.headers["x-echo"], location: answer.headers.location };
      if (!kept(promise, answer)) surprises.push({ request, promise, seen });
    }
    expect(surprises).toEqual([]);
  });
});
