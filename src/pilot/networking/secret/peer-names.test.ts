import { expect, test } from "vitest";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { ServicePeers } from "../../model/service/service-peers.ts";
import { peerNames } from "./peer-names.ts";

const peers: ServicePeers = {
  hostname: "cart.shop",
  namespace: "shop",
  serviceAccounts: ["cart", "canary"],
  mutualPorts: [],
};

test("peer names are the identities of the service accounts, sorted", () => {
  expect(peerNames(fakeService(), peers, defaultMeshSettings)).toEqual([
    "spiffe://cluster.local/ns/shop/sa/canary",
    "spiffe://cluster.local/ns/shop/sa/cart",
  ]);
});

test("peer names are empty if no workload has an identity", () => {
  expect(peerNames(fakeService(), undefined, defaultMeshSettings)).toEqual([]);
});

test("peer names include the SANs of the service, each once", () => {
  const subjectAltNames = ["cart.example.com", "spiffe://cluster.local/ns/shop/sa/cart"];
  expect(peerNames(fakeService({ subjectAltNames }), peers, defaultMeshSettings)).toEqual([
    "cart.example.com",
    "spiffe://cluster.local/ns/shop/sa/canary",
    "spiffe://cluster.local/ns/shop/sa/cart",
  ]);
});

test("peer names that are workload identities exist in every trust domain", () => {
  const mesh = { ...defaultMeshSettings, trustDomain: "new", trustDomainAliases: ["old"] };
  const service = fakeService({ subjectAltNames: ["cart.example.com", "spiffe://else/ns/shop/sa/x", "spiffe://odd"] });
  expect(peerNames(service, { ...peers, serviceAccounts: ["cart"] }, mesh)).toEqual([
    "cart.example.com",
    "spiffe://else/ns/shop/sa/x",
    "spiffe://new/ns/shop/sa/cart",
    "spiffe://odd",
    "spiffe://old/ns/shop/sa/cart",
    "spiffe://old/ns/shop/sa/x",
  ]);
});
