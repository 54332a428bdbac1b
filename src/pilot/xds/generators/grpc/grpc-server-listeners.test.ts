import { expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../../testing/envoy/decoded-resource.ts";
import { fakeEndpoint, fakeService } from "../../../../testing/model/fake-service.ts";
import { proxyWithName } from "../../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakePeerAuthentication } from "../../../../testing/model/workload.ts";
import type { AskedMtlsMode } from "../../../model/mtls/peer-authentication.ts";
import { grpcServerListeners } from "./grpc-server-listeners.ts";

const server = proxyWithName("sidecar~10.0.0.5~cart-0.shop~shop.svc.cluster.local", { GENERATOR: "grpc" });
const family = grpcServerListeners(new ProtoWriter());
const endpoints = [fakeEndpoint({ port: 8080 }), fakeEndpoint({ address: "10.0.0.6", port: 9090 })];
const mesh = {
  services: [fakeService()],
  endpoints: [{ hostname: "cart.shop", namespace: "shop", endpoints, owners: [] }],
};
const push = pushOf(mesh);

function name(address: string): string {
  return `xds.istio.io/grpc/lds/inbound/${address}`;
}

function made(...asked: readonly string[]) {
  return family.parts(server, push, new Set(asked)).flatMap((inputs) => family.generate({ inputs, push }).resources);
}

test.each([
  ["0.0.0.0:8080", "0.0.0.0"],
  ["10.0.0.5:8080", "10.0.0.5"],
  ["[::]:8080", "::"],
])("a server at %s may serve the services of its workload", (written, address) => {
  const listeners = made(name(written));
  expect(listeners.map(({ owners }) => owners)).toEqual([[configId("ServiceEntry", "shop", "cart")]]);
  expect(listeners.map(decodedResource)).toMatchObject([
    { name: name(written), address: { socketAddress: { address, portValue: 8080 } } },
  ]);
});

test.each(["0.0.0.0:80", "0.0.0.0:9090", "8080", ""])("there is no listener for %o", (written) => {
  expect(made(name(written))).toEqual([]);
});

test.each<[AskedMtlsMode, string, string]>([
  ["strict", "", "inbound-mtls"],
  ["disable", "istio", "inbound-plaintext"],
  ["permissive", "", "inbound-plaintext"],
  ["permissive", "istio", "inbound-mtls"],
])("a server with mTLS mode %s and the TLS mode label %o has the chain %s", (mode, tlsMode, chain) => {
  const LABELS = { "security.istio.io/tlsMode": tlsMode };
  const labelled = proxyWithName(server.nodeId, { GENERATOR: "grpc", LABELS });
  const strict = pushOf({ ...mesh, peerAuthentications: [fakePeerAuthentication({ mode })] });
  const [inputs] = family.parts(labelled, strict, new Set([name("0.0.0.0:8080")]));
  if (inputs === undefined) throw new Error("a server has a part");
  const [listener] = family.generate({ inputs, push: strict }).resources;
  expect(listener && decodedResource(listener)).toMatchObject({ filterChains: [{ name: chain }] });
  expect(listener?.owners).toContain(configId("PeerAuthentication", "shop", "default"));
  expect(family.concerns("PeerAuthentication")).toBe(true);
});

test("a part depends on future services of its own workload", () => {
  const [part, ...others] = family.parts(server, push, new Set([name("0.0.0.0:9090"), "cart:80"]));
  if (part === undefined) throw new Error("a server has a part");
  expect(others).toEqual([]);
  expect(part.names).toEqual(new Set([name("0.0.0.0:9090")]));
  const dependsOn = family.dependencies(part, push);
  expect(dependsOn(configId("Instance", "", "10.0.0.5"))).toBe(true);
  expect(dependsOn(configId("Instance", "", "10.0.0.6"))).toBe(false);
});

test("clients have no such part", () => {
  expect(family.parts(server, push, new Set(["cart:80"]))).toEqual([]);
});

test("a server that asks for everything is assumed to listen where its workload has a service", () => {
  const [part] = family.parts(server, push, "all");
  expect(part?.names).toEqual(new Set([name("10.0.0.5:8080")]));
});
