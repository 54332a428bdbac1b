import { describe, expect, test } from "vitest";
import { type ConfigId, configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeSidecar } from "../../../testing/model/workload.ts";
import type { PushContext } from "../../model/push-context.ts";
import { partId } from "../generator.ts";
import { nameTables } from "./name-tables.ts";

const family = nameTables(new ProtoWriter());
const sidecar = proxyWithName("sidecar~10.0.0.1~a-0.web~web.svc.cluster.local", { CLUSTER_ID: "c1" });
const router = proxyWithName("router~10.0.0.9~gw-0.web~web.svc.cluster.local", { CLUSTER_ID: "c1" });
const cart = fakeService({ addresses: ["10.9.0.1"] });
const mail = fakeService({ hostname: "mail.shop", resolution: "passthrough" });

function endpointsOf(hostname: string, address: string) {
  return { hostname, namespace: "shop", endpoints: [fakeEndpoint({ address })], owners: [] };
}

function partOf(proxy: typeof sidecar, push: PushContext) {
  const [part] = family.parts(proxy, push, "all");
  if (part === undefined) throw new Error("an Envoy has a table");
  return part;
}

function namesOf(proxy: typeof sidecar, push: PushContext): readonly string[] {
  const [table] = family.generate({ inputs: partOf(proxy, push), push }).resources;
  return Object.keys((table && decodedResource(table)["table"]) ?? {}).toSorted();
}

const push = pushOf({ services: [cart, mail], endpoints: [endpointsOf("mail.shop", "10.0.0.5")] });

function generatedSince(changed: ConfigId, before = push) {
  return family.generate({ inputs: partOf(sidecar, push), push, since: { push: before, changed: new Set([changed]) } });
}

describe("the table of names", () => {
  test("holds the services in the workload's scope; no Sidecar narrows the scope of a router", () => {
    const mesh = { services: [cart, mail], endpoints: [endpointsOf("mail.shop", "10.0.0.5")] };
    const hosts = [{ namespace: "*", hostname: "cart.shop", excluded: false }];
    const egress = [{ port: undefined, bind: "", captureMode: "default", hosts } as const];
    const narrowed = pushOf({ ...mesh, sidecars: [fakeSidecar({ namespace: "web", egress })] });
    expect(namesOf(sidecar, pushOf(mesh))).toEqual(["cart.shop", "mail.shop"]);
    expect(namesOf(sidecar, narrowed)).toEqual(["cart.shop"]);
    expect(namesOf(router, narrowed)).toEqual(["cart.shop", "mail.shop"]);
  });

  test("is shared by all proxies with the same scope, cluster and network", () => {
    const push = pushOf({ services: [cart] });
    const other = proxyWithName("sidecar~10.0.0.2~b-0.web~web.svc.cluster.local", { CLUSTER_ID: "c1" });
    const elsewhere = proxyWithName("sidecar~10.0.0.2~b-0.web~web.svc.cluster.local", { CLUSTER_ID: "c2" });
    expect(partId(partOf(other, push))).toBe(partId(partOf(sidecar, push)));
    expect(partId(partOf(elsewhere, push))).not.toBe(partId(partOf(sidecar, push)));
  });

  test("is not rebuilt for endpoints of services that have addresses", () => {
    expect(generatedSince(configId("Endpoints", "shop", "cart.shop"))).toEqual({ covers: new Set(), resources: [] });
    expect(generatedSince(configId("Endpoints", "shop", "mail.shop")).covers).toBe("all");
  });

  test("is rebuilt when the services in scope change, for any reason", () => {
    const before = pushOf({ services: [cart] });
    expect(generatedSince(configId("VirtualService", "shop", "mail"), before).covers).toBe("all");
    expect(generatedSince(configId("VirtualService", "shop", "mail")).covers).toEqual(new Set());
  });

  test("is for agents, which proxyless clients do not have", () => {
    const grpc = proxyWithName("sidecar~10.0.0.3~c-0.web~web.svc.cluster.local", { GENERATOR: "grpc" });
    expect(family.parts(grpc, pushOf({}), "all")).toEqual([]);
    expect(["DestinationRule", "Gateway", "Instance"].some((kind) => family.concerns(kind))).toBe(false);
  });
});
