import { expect, test } from "vitest";
import { fakeEndpoint } from "../../../testing/model/fake-service.ts";
import { type NetworkGateway, networksOf } from "../../model/location/networks.ts";
import { type ProxyLocation, unknownLocation } from "../../model/location/proxy-location.ts";
import type { Endpoint } from "../../model/service/service.ts";
import { groupByLocality } from "./endpoint-group.ts";
import { throughGateways } from "./through-gateways.ts";

function gateway(address: string, changes: Partial<NetworkGateway> = {}): NetworkGateway {
  return { network: "far", clusterId: "", address, port: 15443, ...changes };
}

function remote(changes: Partial<Endpoint> = {}): Endpoint {
  return fakeEndpoint({ address: "10.9.0.1", network: "far", tlsMode: "istio", ...changes });
}

/** `address weight`, in order. */
function reached(
  endpoints: readonly Endpoint[],
  gateways: readonly NetworkGateway[],
  at: Partial<ProxyLocation> = { network: "near" },
): readonly string[] {
  const groups = throughGateways(groupByLocality(endpoints), networksOf(gateways), { ...unknownLocation, ...at });
  return groups.flatMap((group) => group.endpoints.map(({ address, weight }) => `${address} ${weight}`));
}

test("endpoints of another network are replaced by its gateways, which carry the sum of their weights", () => {
  const endpoints = [fakeEndpoint({ network: "near" }), remote(), remote({ address: "10.9.0.2", weight: 3 })];
  expect(reached(endpoints, [gateway("1.1.1.1")])).toEqual(["10.0.0.5 1", "1.1.1.1 4"]);
});

test("weights are scaled so that several gateways can share them", () => {
  const gateways = [gateway("1.1.1.2"), gateway("1.1.1.1"), gateway("2.2.2.2", { network: "other" })];
  const endpoints = [fakeEndpoint({ network: "near" }), remote()];
  expect(reached(endpoints, gateways)).toEqual(["10.0.0.5 2", "1.1.1.1 1", "1.1.1.2 1"]);
});

test("the gateways of an endpoint's own cluster come before others of its network", () => {
  const gateways = [gateway("1.1.1.1"), gateway("1.1.1.2", { clusterId: "c9" })];
  expect(reached([remote({ clusterId: "c9" })], gateways)).toEqual(["1.1.1.2 2"]);
});

test("an endpoint without an address is left out where no gateway leads to it", () => {
  expect(reached([remote({ address: "" }), remote()], [])).toEqual(["10.9.0.1 0"]);
});

test("endpoints without mesh mTLS are unreachable behind a gateway, which needs the SNI", () => {
  expect(reached([remote({ tlsMode: "disabled" })], [gateway("1.1.1.1")])).toEqual([]);
});

test("clients in the same network, or with networks without gateways, call endpoints directly", () => {
  expect(reached([remote()], [gateway("1.1.1.1")], { network: "far" })).toEqual(["10.9.0.1 1"]);
  expect(reached([remote({ network: "" })], [gateway("1.1.1.1")])).toEqual(["10.9.0.1 1"]);
  expect(reached([remote({ network: "open" })], [gateway("1.1.1.1")])).toEqual(["10.9.0.1 1"]);
  expect(reached([remote()], [])).toEqual(["10.9.0.1 0"]);
});

test("a client that names no network reaches the endpoints of all networks directly", () => {
  const endpoints = [remote(), remote({ address: "10.8.0.1", network: "other" })];
  const gateways = [gateway("1.1.1.1"), gateway("2.2.2.2", { network: "other" })];
  expect(reached(endpoints, gateways, {})).toEqual(["10.9.0.1 1", "10.8.0.1 1"]);
  expect(reached([remote({ tlsMode: "disabled" })], gateways, {})).toEqual(["10.9.0.1 1"]);
});

test("a client ignores gateways of an address family that it lacks", () => {
  const gateways = [gateway("fd00::1"), gateway("1.1.1.1")];
  expect(reached([remote()], gateways, { network: "near", families: "v6" })).toEqual(["fd00::1 2"]);
  expect(reached([remote()], [gateway("fd00::1")], { network: "near", families: "v4" })).toEqual([]);
});

test("an endpoint without an address is only behind a gateway", () => {
  expect(reached([remote({ address: "" })], [gateway("1.1.1.1")])).toEqual(["1.1.1.1 1"]);
  expect(reached([remote({ address: "" })], [gateway("1.1.1.1")], { network: "far" })).toEqual([]);
});
