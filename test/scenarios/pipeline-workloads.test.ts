import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { buildWorkloadRegistry } from "../../src/app/workloads/build-workload-registry.ts";
import { entriesInMemory } from "../../src/app/workloads/entry-keeper.ts";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import { healthType, type RegistrationEvent } from "../../src/pilot/xds/workloads/workload-registry.ts";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { streamPair } from "../../src/testing/stream/stream-pair.ts";
import { clusterType, endpointType } from "../../src/xds/type-urls.ts";

const group = (probe = "") => `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: billing, namespace: shop}
spec:
  metadata: {labels: {app: billing}}
  template: {serviceAccount: billing, ports: {http: 8080}}
${probe}`;

const service = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: billing, namespace: shop}
spec:
  hosts: [billing.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: billing}}
`;

const probe = "  probe: {httpGet: {port: 8080}}";
const graceMs = 10_000;
const router = { nodeId: "router~10.0.8.1~gw.istio-system~istio-system.svc.cluster.local", metadata: {} };
const machine = {
  nodeId: "sidecar~10.0.0.9~vm-1.shop~shop.svc.cluster.local",
  metadata: { AUTO_REGISTER_GROUP: "billing", SDS_MODE: "none" },
};

/** A mesh whose machines may join, and a router that calls them. */
async function serving(yaml: string) {
  const events: RegistrationEvent[] = [];
  const graceClock = new FakeClock();
  const checks = { autoRegistration: true, workloadHealth: true, xdsIdentityCheck: false };
  const options = { ...checks, workloadGraceMs: graceMs };
  const entries = entriesInMemory();
  const settings = { options, clock: graceClock, onEvent: (event: RegistrationEvent) => events.push(event) };
  const mesh = new ScenarioMesh({
    sources: [entries.source],
    lifecycleHooksFor: (outputs) => buildWorkloadRegistry(settings, entries, outputs),
  });
  mesh.apply(yaml);
  await mesh.start();
  const caller = mesh.connect("delta", router);
  await mesh.settle([caller]);
  const called = async () => {
    await mesh.settle([caller]);
    const cluster = caller.held.get(endpointType)?.get("outbound|80||billing.shop.svc.cluster.local");
    return cluster?.content.empty === false;
  };
  return { mesh, caller, called, events, graceClock };
}

function tellHealth(envoy: EnvoyModel, error?: string): void {
  const errorDetail = error === undefined ? {} : { errorDetail: { code: 14, message: error } };
  const request = create(DiscoveryRequestSchema, { typeUrl: healthType, ...errorDetail });
  envoy.stream?.send(toBinary(DiscoveryRequestSchema, request));
}

describe("a VM with auto-registration", () => {
  test("has an entry with its origin while connected and during the grace period", async () => {
    const { mesh, called, events, graceClock } = await serving(`${service}---${group()}`);
    expect(await called()).toBe(false);
    const envoy = mesh.connect("sotw", machine);
    expect(await called()).toBe(true);
    const entry = mesh.outputs.get("istio/networking/v1alpha3/workloadentries")?.get("shop/billing-10.0.0.9");
    expect(entry?.origin).toMatchObject({ source: "registration", reference: `registered by ${machine.nodeId}` });
    expect(entry?.spec).toMatchObject({ address: "10.0.0.9", serviceAccount: "billing", ports: { http: 8080 } });
    envoy.disconnect();
    graceClock.advance(graceMs - 1);
    expect(await called()).toBe(true);
    graceClock.advance(1);
    expect(await called()).toBe(false);
    expect(events).toEqual(["registered", "unregistered", "deleted"]);
  });

  test("gets its inbound configuration as soon as its entry exists", async () => {
    const { mesh } = await serving(`${service}---${group()}`);
    const envoy = mesh.connect("delta", machine);
    await mesh.settle([envoy]);
    expect(envoy.names(clusterType)).toContain("inbound|8080||");
  });

  test("keeps its entry through a reconnect, without a push to its clients", async () => {
    const { mesh, called, graceClock } = await serving(`${service}---${group()}`);
    const envoy = mesh.connect("sotw", machine);
    expect(await called()).toBe(true);
    mesh.requests.length = 0;
    envoy.disconnect();
    const again = mesh.connect("sotw", machine);
    graceClock.advance(10 * graceMs);
    expect(await called()).toBe(true);
    expect(mesh.requests).toEqual([]);
    expect(again.stream?.status).toBeUndefined();
  });

  test("is rejected without its WorkloadGroup", async () => {
    const { mesh, events } = await serving(service);
    const envoy = mesh.connect("sotw", machine);
    expect(envoy.stream?.status).toMatchObject({ code: GrpcStatus.FAILED_PRECONDITION });
    expect(events).toEqual(["failed"]);
  });

  test("is rejected with node metadata that is invalid in an entry", async () => {
    const { mesh } = await serving(`${service}---${group()}`);
    const metadata = { ...machine.metadata, LABELS: { "not a label": "x" } };
    const envoy = mesh.connect("sotw", { ...machine, metadata });
    expect(envoy.stream?.status).toMatchObject({ code: GrpcStatus.FAILED_PRECONDITION });
  });
});

describe("a VM with a health-checking agent", () => {
  test("is an endpoint only after a healthy report, until an unhealthy one", async () => {
    const { mesh, called } = await serving(`${service}---${group(probe)}`);
    const envoy = mesh.connect("sotw", machine);
    expect(await called()).toBe(false);
    tellHealth(envoy);
    expect(await called()).toBe(true);
    tellHealth(envoy, "connection refused");
    expect(await called()).toBe(false);
    tellHealth(envoy);
    expect(await called()).toBe(true);
  });

  test("gets no answer to health reports, which change only endpoints", async () => {
    const { mesh, called } = await serving(`${service}---${group(probe)}`);
    const envoy = mesh.connect("sotw", machine);
    await mesh.settle([envoy]);
    mesh.requests.length = 0;
    const received = envoy.stream?.received.length;
    tellHealth(envoy);
    expect(mesh.requests.map(({ reasons }) => [...reasons.keys()])).toEqual([["endpoint"]]);
    expect(envoy.stream?.received.length).toBe(received);
    expect(await called()).toBe(true);
  });

  test("may report health before the first discovery request of its proxy", async () => {
    const { mesh } = await serving(`${service}---${group(probe)}`);
    const { server, client } = streamPair();
    mesh.discovery.serve(server, { mode: "sotw" });
    client.send(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, { typeUrl: healthType })));
    expect(client.status).toBeUndefined();
    const first = create(DiscoveryRequestSchema, { typeUrl: clusterType, node: { id: machine.nodeId } });
    client.send(toBinary(DiscoveryRequestSchema, first));
    expect(client.received).toHaveLength(1);
  });
});
