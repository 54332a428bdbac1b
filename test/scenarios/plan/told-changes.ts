import { coreObjects } from "../../../src/testing/mesh/core-edits.ts";
import { pairs } from "../../../src/testing/config/fake-certificates.ts";
import type { ObjectEdit, WrittenObject } from "../../../src/testing/mesh/written-objects.ts";

type Batch = readonly ObjectEdit[];

function core(kind: string, name = "core", namespace = "a"): WrittenObject {
  const found = coreObjects.find(
    ({ kind: of, metadata }) => of === kind && metadata.name === name && metadata.namespace === namespace,
  );
  if (found === undefined) throw new Error(`no ${kind} ${namespace}/${name}`);
  return found;
}

function written(object: WrittenObject, fields: object = {}): Batch {
  return [{ object: { ...object, spec: { ...object.spec, ...fields } }, deleted: false }];
}

function deleted(object: WrittenObject): Batch {
  return [{ object, deleted: true }];
}

function istio(
  kind: string,
  name: string,
  { namespace = "a", ...spec }: { namespace?: string; [field: string]: unknown },
) {
  const group = kind === "WasmPlugin" ? "extensions.istio.io/v1alpha1" : "networking.istio.io/v1";
  return { apiVersion: group, kind, metadata: { namespace, name }, spec };
}

const [service, endpoints] = [core("ServiceEntry"), core("ServiceEntry", "endpoints")];
const foreign = core("ServiceEntry", "foreign", "b");
const [scopeOfB, scopeOfX] = [core("Sidecar", "core", "b"), core("Sidecar")];
const [gateway, routes, rule] = [core("Gateway", "x"), core("VirtualService"), core("DestinationRule")];
const scopeOfSome = istio("Sidecar", "some", {
  workloadSelector: { labels: { version: "v9" } },
  egress: [{ hosts: ["b/*"] }],
});
const host = "one.a.svc.cluster.local";
const to = (destination: object) => [{ route: [{ destination }] }];
const later = istio("VirtualService", "later", { hosts: [host], http: to({ host, port: { number: 82 } }) });
const plugin = istio("WasmPlugin", "one", { url: "file:///opt/one.wasm", selector: { matchLabels: { app: "x" } } });
/** So that there is always something to refer to. */
const always = istio("ServiceEntry", "always", {
  hosts: ["always.a.svc.cluster.local"],
  ports: [{ number: 84, name: "http", protocol: "HTTP" }],
  resolution: "STATIC",
  endpoints: [{ address: "10.0.0.9" }],
});
const secured = {
  port: { number: 8443, name: "https", protocol: "HTTPS" },
  hosts: ["*"],
  tls: { mode: "SIMPLE", credentialName: "shop-cert" },
};
const secret = ({ certificate, key }: (typeof pairs)["one"]): WrittenObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "a", name: "shop-cert" },
  type: "Opaque",
  stringData: { "tls.crt": certificate, "tls.key": key },
});

/** Changes that concern one rule of a plan each, so that a short test meets them all. */
export const toldChanges: readonly Batch[] = [
  [...coreObjects, always, plugin].map((object) => ({ object, deleted: false })),
  // Endpoints alone, also more and none.
  written(endpoints, { endpoints: [{ address: "10.0.0.2", labels: { version: "v1" } }] }),
  written(endpoints, { endpoints: [] }),
  written(endpoints),
  // Scopes: of one namespace, of some workloads, and none.
  written(scopeOfB, { egress: [{ hosts: ["./*"] }] }),
  deleted(scopeOfX),
  deleted(scopeOfB),
  // Until now, these workloads have the same parts as others, and in the end they have them again.
  written(scopeOfSome),
  deleted(scopeOfSome),
  written(scopeOfX),
  // Subsets, and routes that need them.
  written(rule, { subsets: [{ name: "v1", labels: { version: "v1" } }] }),
  written(routes, { http: to({ host, subset: "v1" }) }),
  // Objects that claim the same.
  written(later),
  deleted(routes),
  deleted(later),
  written(routes),
  // Gateways: ports, certificates, none.
  written(gateway, { servers: [secured] }),
  written(secret(pairs.one)),
  written(secret(pairs.two)),
  written(gateway, {
    servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["one.example.com"] }],
  }),
  deleted(gateway),
  // Two hosts are enough for virtual hosts as resources, and one is less.
  written(routes, { hosts: [host, "two.a.svc.cluster.local"] }),
  written(gateway),
  written(routes, { hosts: [host] }),
  written(routes, { http: to({ host, port: { number: 81 } }) }),
  // Filters beside listeners.
  written(plugin, { pluginConfig: { mode: "strict" } }),
  // Nothing that a proxy gets.
  written({ ...routes, metadata: { ...routes.metadata, annotations: { note: "none" } } }),
  // A service that leaves and comes again.
  [...deleted(service), ...deleted(endpoints)],
  [...written(service), ...written(endpoints)],
  deleted(scopeOfX),
  [...deleted(service), ...deleted(endpoints), ...deleted(foreign)],
  deleted(plugin),
];
