import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { fakeEndpoint } from "../../../testing/model/fake-service.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../testing/model/push.ts";
import type { Proxy } from "../proxy/proxy.ts";
import { localityOfProxy, nodeOfProxy } from "./proxy-locality.ts";

const endpoint = fakeEndpoint({ address: "10.0.0.1", locality: "eu/a/1", node: "one" });
const registered = pushOf({
  endpoints: [{ hostname: "cart.shop", namespace: "shop", endpoints: [endpoint], owners: [] }],
});

function proxy(metadata: JsonObject = {}): Proxy {
  const named = proxyWithName("sidecar~10.0.0.1~x-0.shop~shop.svc.cluster.local", metadata);
  return { ...named, locality: { region: "own", zone: "", subzone: "" } };
}

test("the locality comes from the proxy's labels, else from its registered workload, else from its node", () => {
  const byLabel = proxy({ LABELS: { "topology.kubernetes.io/region": "us", "topology.kubernetes.io/zone": "c" } });
  expect(localityOfProxy(byLabel, registered)).toEqual({ region: "us", zone: "c", subzone: "" });
  const inOne = proxy({ LABELS: { "istio-locality": "cn.d.2" } });
  expect(localityOfProxy(inOne, registered)).toEqual({ region: "cn", zone: "d", subzone: "2" });
  expect(localityOfProxy(proxy(), registered)).toEqual({ region: "eu", zone: "a", subzone: "1" });
  expect(localityOfProxy(proxy(), pushOf({}))).toEqual({ region: "own", zone: "", subzone: "" });
});

test("the node name comes from the proxy, else from its registered workload", () => {
  expect(nodeOfProxy(proxy({ NODE_NAME: "two" }), registered)).toBe("two");
  expect(nodeOfProxy(proxy(), registered)).toBe("one");
  expect(nodeOfProxy(proxy(), pushOf({}))).toBe("");
});

test("endpoints of other namespaces at its address do not affect a proxy", () => {
  const endpoints = [{ hostname: "cart.web", namespace: "web", endpoints: [endpoint], owners: [] }];
  expect(localityOfProxy(proxy(), pushOf({ endpoints })).region).toBe("own");
  expect(nodeOfProxy(proxy(), pushOf({ endpoints }))).toBe("");
});
