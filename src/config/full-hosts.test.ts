import { expect, test } from "vitest";
import { assert } from "../lib/assert.ts";
import type { Config } from "./config.ts";
import { withFullHosts } from "./full-hosts.ts";
import { kinds } from "./kinds.ts";
import { parseConfigs } from "./parse/parse.ts";

function parsed(kind: string, spec: string): Config {
  const text = `{apiVersion: networking.istio.io/v1, kind: ${kind}, metadata: {name: a, namespace: web}, spec: ${spec}}`;
  const { configs, issues } = parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "web" });
  expect(issues).toEqual([]);
  const [config] = configs;
  assert(config !== undefined, "one object");
  return config;
}

const everywhere = `{
  hosts: [frontend, "*.shop.io", 10.0.0.1],
  http: [{
    route: [{destination: {host: frontend}, weight: 60}, {destination: {host: other.io}, weight: 40}],
    mirror: {host: canary}
  }, {
    route: [{destination: {host: frontend}}],
    mirrors: [{destination: {host: canary}, percentage: {value: 1}}]
  }],
  tcp: [{route: [{destination: {host: db}}]}],
  tls: [{match: [{sniHosts: ["*.shop.io"], port: 443}], route: [{destination: {host: db}}]}]
}`;

test("short hosts become full wherever a VirtualService names services", () => {
  const config = parsed("VirtualService", everywhere);
  const frontend = "frontend.web.svc.cluster.local";
  const { spec } = withFullHosts(config, "cluster.local");
  expect(spec).toMatchObject({
    hosts: [frontend, "*.shop.io", "10.0.0.1"],
    http: [
      {
        route: [{ destination: { host: frontend } }, { destination: { host: "other.io" } }],
        mirror: { host: "canary.web.svc.cluster.local" },
      },
      {
        route: [{ destination: { host: frontend } }],
        mirrors: [{ destination: { host: "canary.web.svc.cluster.local" } }],
      },
    ],
    tcp: [{ route: [{ destination: { host: "db.web.svc.cluster.local" } }] }],
    tls: [{ match: [{ sniHosts: ["*.shop.io"] }], route: [{ destination: { host: "db.web.svc.cluster.local" } }] }],
  });
});

test("the host of a DestinationRule becomes full, in the domain of the mesh", () => {
  const { spec } = withFullHosts(parsed("DestinationRule", "{host: reviews}"), "mesh.local");
  expect(spec).toMatchObject({ host: "reviews.web.svc.mesh.local" });
});

test("another content has another version, and the same content the same one", () => {
  const config = parsed("DestinationRule", "{host: reviews}");
  const full = withFullHosts(config, "cluster.local");
  expect(full.version).not.toBe(config.version);
  expect(full.version).not.toBe(withFullHosts(config, "mesh.local").version);
  expect(full.version).toBe(parsed("DestinationRule", "{host: reviews.web.svc.cluster.local}").version);
  expect(config.spec).toMatchObject({ host: "reviews" });
});

test.each([
  ["DestinationRule", "{host: reviews.web.svc.cluster.local}"],
  ["VirtualService", '{hosts: ["*.shop.io"], http: [{route: [{destination: {host: other.io}}]}]}'],
  ["Gateway", "{servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: [shop.io]}]}"],
])("a %s without short hosts is unchanged", (kind, spec) => {
  const config = parsed(kind, spec);
  expect(withFullHosts(config, "cluster.local")).toBe(config);
});
