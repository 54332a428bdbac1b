import { expect, test } from "vitest";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeSidecar } from "../../../testing/model/workload.ts";
import { clientParts, scopeOf, scopeParts } from "./scope-part.ts";
import { partId } from "../generator.ts";

const push = pushOf({ services: [fakeService()], sidecars: [fakeSidecar({ namespace: "web" })] });

function sidecar(metadata: Readonly<Record<string, string>> = {}, type = "sidecar") {
  return proxyWithName(`${type}~10.0.0.1~x-0.web~web.svc.cluster.local`, metadata);
}

function idsOf(metadata: Readonly<Record<string, string>>, type?: string) {
  const proxy = sidecar(metadata, type);
  const [scope] = scopeParts(proxy, push);
  const [client] = clientParts(proxy, push);
  return { scope: scope && partId(scope), client: client && partId(client) };
}

test("the way a proxy reaches services affects its clusters, but not its endpoints", () => {
  const usual = idsOf({});
  for (const metadata of [{ SDS_MODE: "none" }, { INSTANCE_IPS: "fd00::1" }]) {
    expect(idsOf(metadata).scope).toBe(usual.scope);
    expect(idsOf(metadata).client).not.toBe(usual.client);
  }
  expect(idsOf({ WORKLOAD_NAME: "other" })).toEqual(usual);
});

test("a router shares nothing with sidecars, and no Sidecar narrows its scope", () => {
  const router = sidecar({}, "router");
  expect(idsOf({}, "router").scope).not.toBe(idsOf({}).scope);
  expect(scopeParts(router, push)).toMatchObject([{ type: "router", ref: { namespace: "web", sidecar: "" } }]);
  expect(scopeParts(sidecar(), push)).toMatchObject([{ type: "sidecar", ref: { sidecar: "web/default" } }]);
});

test("proxyless clients have no such parts", () => {
  expect(scopeParts(sidecar({ GENERATOR: "grpc" }), push)).toEqual([]);
  expect(clientParts(sidecar({ GENERATOR: "grpc" }), push)).toEqual([]);
});

test("a part sees its services", () => {
  const seen = scopeParts(sidecar(), push).map((part) => scopeOf(part, push).services.map(({ hostname }) => hostname));
  expect(seen).toEqual([["cart.shop"]]);
});
