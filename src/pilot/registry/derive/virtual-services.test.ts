import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { beforeEach, expect, test } from "vitest";
import { type VirtualService, VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import { configOf } from "../../../testing/config/fake-config.ts";
import { buildEnvironment, type Environment } from "../environment.ts";
import { pushRequestFor } from "../push-request-for.ts";

type Init = Exclude<MessageInitShape<typeof VirtualServiceSchema>, VirtualService>;

const collection = "istio/networking/v1alpha3/virtualservices";
let graph: Graph;
let environment: Environment;

/** The ids that a push request contains after the change. */
function written(name: string, spec: Init, namespace = "shop"): readonly string[] {
  const config = configOf<unknown>("VirtualService", name, create(VirtualServiceSchema, spec), { namespace });
  const commit = graph.batch(() => environment.inputs.get(collection)?.set(configKey(config), config));
  return [...((commit && pushRequestFor(commit, environment, 0)?.changed) ?? [])];
}

function destinations(): readonly string[] {
  const http = environment.virtualServices.get("shop/root")?.http ?? [];
  return http.flatMap(({ action }) => (action.type === "forward" ? action.destinations : [])).map((to) => to.hostname);
}

const to = (host: string) => ({ route: [{ destination: { host } }] });
const prefix = (value: string) => ({ match: [{ uri: { matchType: { case: "prefix" as const, value } } }] });
const root: Init = {
  hosts: ["shop.example.com"],
  http: [{ ...prefix("/carts"), delegate: { name: "carts", namespace: "teams" } }, to("rest.shop.local")],
};

beforeEach(() => {
  graph = new Graph();
  environment = buildEnvironment(graph, { domain: "cluster.local", clusterId: "c1" });
});

test("a route that delegates is replaced by the delegate's routes, which resolve their own short names", () => {
  written("root", root);
  written("carts", { http: [{ ...prefix("/carts/new"), ...to("new") }, to("old")] }, "teams");
  expect(destinations()).toEqual(["new.teams.svc.cluster.local", "old.teams.svc.cluster.local", "rest.shop.local"]);
});

test("a missing delegate drops only its own route, until the delegate appears", () => {
  written("root", root);
  expect(destinations()).toEqual(["rest.shop.local"]);
  expect(written("carts", { http: [to("c")] }, "teams")).toEqual(["VirtualService/shop/root"]);
  expect(destinations()).toEqual(["c.teams.svc.cluster.local", "rest.shop.local"]);
});

test("editing a delegate changes the root, which names both as its owners", () => {
  written("root", root);
  written("carts", { http: [to("c")] }, "teams");
  expect(written("carts", { http: [to("d")] }, "teams")).toEqual(["VirtualService/shop/root"]);
  expect(environment.virtualServices.get("shop/root")).toMatchObject({
    owner: "VirtualService/shop/root",
    delegates: ["VirtualService/teams/carts"],
  });
});

test("a delegate that is not exported to the root's namespace counts as missing", () => {
  written("root", root);
  written("carts", { http: [to("c")], exportTo: ["."] }, "teams");
  expect(destinations()).toEqual(["rest.shop.local"]);
  written("carts", { http: [to("c")], exportTo: ["shop"] }, "teams");
  expect(destinations()).toEqual(["c.teams.svc.cluster.local", "rest.shop.local"]);
});

test("a VirtualService with hosts is no delegate, and nested delegates are ignored", () => {
  written("root", root);
  written("carts", { hosts: ["a.example.com"], http: [to("c")] }, "teams");
  expect(destinations()).toEqual(["rest.shop.local"]);
  written("carts", { http: [{ delegate: { name: "further" } }, to("c")] }, "teams");
  written("further", { http: [to("f")] }, "teams");
  expect(destinations()).toEqual(["c.teams.svc.cluster.local", "rest.shop.local"]);
});

test("a delegate alone is bound to no gateway and causes no push", () => {
  expect(written("carts", { http: [to("c")] }, "teams")).toEqual([]);
  expect(environment.virtualServices.size).toBe(0);
});

test("a delegate in the root's own namespace needs no namespace", () => {
  written("root", { ...root, http: [{ delegate: { name: "carts" } }] });
  written("carts", { http: [to("c")] });
  expect(destinations()).toEqual(["c.shop.svc.cluster.local"]);
});
