import type { WrittenObject } from "../../../../src/testing/mesh/written-objects.ts";
import type { Example } from "../proof.ts";
import { object, router, service, workload } from "./context.ts";

function legacy(kind: string, spec: object, name = "default"): WrittenObject {
  const metadata = { name, ...(kind !== "ClusterRbacConfig" && { namespace: "shop" }) };
  return { apiVersion: "rbac.istio.io/v1alpha1", kind, metadata, spec };
}

const hostname = "reviews.shop.svc.cluster.local";
const on = legacy("ClusterRbacConfig", { mode: "ON" });
const accessRule = {
  services: [hostname],
  paths: ["/a"],
  notPaths: ["/b"],
  hosts: ["a"],
  notHosts: ["b"],
  constraints: [{ key: "request.headers[x-a]", values: ["a"] }],
};
const accessRules = [
  { ...accessRule, methods: ["GET"], ports: [80] },
  { ...accessRule, notMethods: ["GET"], notPorts: [80] },
];
const role = legacy("ServiceRole", { rules: accessRules }, "reader");
const subjects = [
  { user: "a", group: "b", properties: { "source.namespace": "c" } },
  { names: ["a"], notNames: ["b"], groups: ["a"], notGroups: ["b"], namespaces: ["a"], notNamespaces: ["b"] },
  { ips: ["10.0.0.0/8"], notIps: ["10.1.0.0/16"] },
];
const bindings = [
  { subjects, roleRef: { kind: "ServiceRole", name: "reader" }, mode: "PERMISSIVE" },
  { subjects, actions: accessRules },
  { subjects, role: "reader" },
].map((spec) => legacy("ServiceRoleBinding", spec, "web"));

const around = [
  service("reviews"),
  object("Gateway", "edge", {
    selector: { app: "gw" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  }),
];

function example(subject: WrittenObject, ...others: readonly WrittenObject[]): Example {
  return { subject, around: [...around, ...others], clients: [workload("reviews"), router] };
}

/** Each mode of access control, with a role that is bound. */
const switches = [
  { mode: "ON", enforcementMode: "PERMISSIVE" },
  { mode: "ON_WITH_INCLUSION", inclusion: { services: [hostname] } },
  { mode: "ON_WITH_INCLUSION", inclusion: { namespaces: ["shop"] } },
  { mode: "ON_WITH_EXCLUSION", exclusion: { services: [hostname] } },
  { mode: "ON_WITH_EXCLUSION", exclusion: { namespaces: ["shop"] } },
];

export const legacyAccess: readonly Example[] = [
  ...switches.flatMap((spec) => [
    example(legacy("ClusterRbacConfig", spec), role),
    example(legacy("RbacConfig", spec), role),
  ]),
  ...bindings.map((binding) => example(binding, role, on)),
  ...bindings.slice(0, 1).map((binding) => example(role, binding, on)),
];
