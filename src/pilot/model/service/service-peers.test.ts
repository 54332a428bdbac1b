import { expect, test } from "vitest";
import { fakeEndpoint } from "../../../testing/model/fake-service.ts";
import type { Endpoint } from "./service.ts";
import { servicePeersOf } from "./service-peers.ts";

function peersOf(endpoints: readonly Partial<Endpoint>[]) {
  const all = endpoints.map((each) => fakeEndpoint(each));
  return servicePeersOf({ hostname: "cart.shop", namespace: "shop", endpoints: all, owners: [] });
}

test("accounts are sorted and named once, whatever port they serve", () => {
  const peers = peersOf([
    { serviceAccount: "b" },
    { serviceAccount: "a", servicePortName: "grpc" },
    { serviceAccount: "b" },
    {},
  ]);
  expect(peers).toMatchObject({ hostname: "cart.shop", namespace: "shop", serviceAccounts: ["a", "b"] });
});

test("a port is mutual when it has endpoints and none of them is plain", () => {
  const { mutualPorts } = peersOf([
    { servicePortName: "http", tlsMode: "istio" },
    { servicePortName: "grpc", tlsMode: "istio" },
    { servicePortName: "grpc", tlsMode: "disabled" },
  ]);
  expect(mutualPorts).toEqual(["http"]);
  expect(peersOf([]).mutualPorts).toEqual([]);
});
