import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type Route, RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeVirtualService, forwardTo } from "../../../../testing/model/traffic.ts";
import { defaultMeshSettings } from "../../../model/mesh-settings.ts";
import { defaultRouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { Protocol, Service } from "../../../model/service/service.ts";
import { noHashes } from "../../../model/traffic/applied-hash.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";
import type { SidecarHost } from "./made-hosts.ts";
import { onlyHost, sidecarHosts } from "./sidecar-hosts.ts";

const writer = new ProtoWriter();

interface Listener {
  readonly services: readonly Service[];
  readonly virtualServices?: readonly VirtualService[];
  readonly port: number;
  readonly ignoresPort?: boolean;
}

function inputsOf({ services, virtualServices = [], port, ignoresPort = port !== 0 }: Listener) {
  const egress = { port: undefined, bind: "", captureMode: "default", services, virtualServices } as const;
  const seen = { namespace: "web", labels: {}, dnsDomain: "web.svc.cluster.local", families: "v4" } as const;
  return {
    egress,
    port,
    ignoresPort,
    ...seen,
    mesh: defaultMeshSettings,
    settings: defaultRouteSettings,
    hashes: noHashes,
  };
}

/** Per host: its domains but for the absolute ones, and the clusters of its routes. */
function described(hosts: readonly SidecarHost[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    hosts.map(({ name, domains, routes }) => [name, `${names(domains)} to ${clusters(routes)}`]),
  );
}

function names(domains: readonly string[]): string {
  return domains.filter((domain) => !/\.(?::\d+)?$/u.test(domain)).join(" ");
}

function clusters(routes: SidecarHost["routes"]): string {
  return routes
    .flat()
    .map(({ bytes }) => clusterOf(fromBinary(RouteSchema, bytes)))
    .join(" ");
}

function clusterOf({ action }: Route): string {
  const specifier = action.case === "route" ? action.value.clusterSpecifier : undefined;
  return specifier?.case === "cluster" ? specifier.value : "";
}

function hostsOf(listener: Listener): Readonly<Record<string, string>> {
  return described(sidecarHosts(inputsOf(listener), writer).hosts);
}

function service(hostname: string, ...ports: readonly (number | [number, Protocol])[]): Service {
  const list = ports.map((port) => (typeof port === "number" ? ([port, "HTTP"] as const) : port));
  return fakeService({
    hostname,
    ports: list.map(([number, protocol]) => ({ number, name: `p${number}`, protocol, targetPort: number })),
  });
}

/** A virtual service that sends its hosts to one of its own name. */
function virtual(name: string, ...hosts: readonly string[]): VirtualService {
  return fakeVirtualService({ name, hosts, gateways: ["mesh"], http: [forwardTo(name)] });
}

const inactive = { ...virtual("inactive", "a.com"), http: [] };

test.each<[string, Listener, Readonly<Record<string, string>>]>([
  [
    "a service that nobody speaks for has a default route",
    { services: [service("a.com", 80)], port: 80 },
    { "a.com:80": "a.com to outbound|80||a.com" },
  ],
  [
    "services without the port, or that do not speak HTTP there, are left out",
    { services: [service("a.com", 81), service("b.com", [80, "TCP"]), service("c.com", [80, "auto"])], port: 80 },
    { "c.com:80": "c.com to outbound|80||c.com" },
  ],
  [
    "a virtual service speaks for its service, under all the names that it has",
    {
      services: [service("a.pay.svc.cluster.local", 81)],
      virtualServices: [virtual("v", "a.pay.svc.cluster.local")],
      port: 81,
    },
    { "a.pay.svc.cluster.local:81": "a.pay.svc.cluster.local a.pay.svc a.pay to outbound|81||v" },
  ],
  [
    "a virtual service without a route that applies leaves its services to the defaults",
    { services: [service("a.com", 80)], virtualServices: [inactive], port: 80 },
    { "a.com:80": "a.com to outbound|80||a.com" },
  ],
  [
    "of two virtual services for one host the first decides",
    {
      services: [service("a.com", 80)],
      virtualServices: [virtual("first", "a.com"), virtual("second", "a.com")],
      port: 80,
    },
    { "a.com:80": "a.com to outbound|80||first" },
  ],
  [
    "names that are no services are served on port 80",
    { services: [], virtualServices: [virtual("v", "x.com", "*.y.com")], port: 80 },
    { "x.com:80": "x.com to outbound|80||v", "*.y.com:80": "*.y.com to outbound|80||v" },
  ],
  [
    "and on other ports only beside a service of the same virtual service",
    {
      services: [service("a.com", 81)],
      virtualServices: [virtual("v", "x.com"), virtual("w", "a.com", "y.com")],
      port: 81,
    },
    { "a.com:81": "a.com to outbound|81||w", "y.com:81": "y.com to outbound|81||w" },
  ],
  [
    "a service on another port is just a name on port 80",
    { services: [service("a.com", 81)], virtualServices: [virtual("v", "a.com")], port: 80 },
    { "a.com:80": "a.com to outbound|80||v" },
  ],
  [
    "a wildcard speaks for every service that it covers, and for nothing else",
    { services: [service("a.x.com", 80), service("b.com", 80)], virtualServices: [virtual("v", "*.x.com")], port: 80 },
    { "a.x.com:80": "a.x.com to outbound|80||v", "b.com:80": "b.com to outbound|80||b.com" },
  ],
  [
    "of wildcards the most specific decides, whatever their order",
    {
      services: [service("a.x.com", 80), service("a.b.x.com", 80), service("c.b.x.com", 80)],
      virtualServices: [virtual("wide", "*.x.com"), virtual("narrow", "*.b.x.com"), virtual("exact", "c.b.x.com")],
      port: 80,
    },
    {
      "a.x.com:80": "a.x.com to outbound|80||wide",
      "a.b.x.com:80": "a.b.x.com to outbound|80||narrow",
      "c.b.x.com:80": "c.b.x.com to outbound|80||exact",
    },
  ],
  [
    "a service that a more specific virtual service fails to route is not handed to a wildcard",
    { services: [service("a.com", 80)], virtualServices: [virtual("wide", "*.com"), inactive], port: 80 },
    { "a.com:80": "a.com to outbound|80||a.com" },
  ],
  [
    "a virtual service for a wildcard service speaks for it",
    { services: [service("*.cdn.com", 80)], virtualServices: [virtual("v", "*.cdn.com")], port: 80 },
    { "*.cdn.com:80": "*.cdn.com to outbound|80||v" },
  ],
  [
    "an address that two services share belongs to the first",
    {
      services: [
        { ...service("a.com", 80), addresses: ["10.0.0.1"] },
        { ...service("b.com", 80), addresses: ["10.0.0.1"] },
      ],
      port: 80,
    },
    { "a.com:80": "a.com 10.0.0.1 to outbound|80||a.com", "b.com:80": "b.com to outbound|80||b.com" },
  ],
  [
    "a short name gives way to a service of that name",
    { services: [service("a.b.svc.cluster.local", 80), service("a.b", 80)], port: 80 },
    {
      "a.b.svc.cluster.local:80": "a.b.svc.cluster.local a.b.svc to outbound|80||a.b.svc.cluster.local",
      "a.b:80": "a.b to outbound|80||a.b",
    },
  ],
  [
    "also with a port, where all ports share a listener",
    { services: [service("a.b.svc.cluster.local", 81), service("a.b", 81)], port: 0 },
    {
      "a.b.svc.cluster.local:81": "a.b.svc.cluster.local:81 a.b.svc:81 to outbound|81||a.b.svc.cluster.local",
      "a.b:81": "a.b:81 to outbound|81||a.b",
    },
  ],
  [
    "where all ports share a listener, the port of a request tells them apart, and none means 80",
    { services: [service("a.com", 80, 81)], port: 0 },
    { "a.com:80": "a.com a.com:80 to outbound|80||a.com", "a.com:81": "a.com:81 to outbound|81||a.com" },
  ],
  [
    "where Envoy ignores that port, one port answers for a service: 80, else the lowest",
    { services: [service("a.com", 90, 80), service("b.com", 91, 82)], port: 0, ignoresPort: true },
    {
      "a.com:80": "a.com a.com:80 to outbound|80||a.com",
      "a.com:90": "a.com:90 to outbound|90||a.com",
      "b.com:82": "b.com b.com:82 to outbound|82||b.com",
      "b.com:91": "b.com:91 to outbound|91||b.com",
    },
  ],
  [
    "there, a destination without a port has the only one of its service, else that of the request",
    {
      services: [service("a.com", 80, 81), service("v", 90), service("w", 80, 90)],
      virtualServices: [virtual("v", "a.com"), virtual("w", "w")],
      port: 0,
    },
    {
      "a.com:80": "a.com a.com:80 to outbound|90||v",
      "a.com:81": "a.com:81 to outbound|90||v",
      "v:90": "v:90 to outbound|90||v",
      "w:80": "w w:80 to outbound|80||w",
      "w:90": "w:90 to outbound|90||w",
    },
  ],
])("%s", (_, listener, expected) => {
  expect(hostsOf(listener)).toEqual(expected);
});

test("hosts are sorted by name and have owners", () => {
  const virtualServices = [virtual("v", "z.com", "b.com")];
  const { hosts } = sidecarHosts(
    inputsOf({ services: [service("b.com", 80), service("a.com", 80)], virtualServices, port: 80 }),
    writer,
  );
  expect(hosts.map(({ name, owners }) => [name, owners])).toEqual([
    ["a.com:80", ["ServiceEntry/shop/cart"]],
    ["b.com:80", ["ServiceEntry/shop/cart", "VirtualService/shop/v"]],
    ["z.com:80", ["VirtualService/shop/v"]],
  ]);
});

test("a service with its own listener accepts every host", () => {
  const services = [service("a.com", [90, "auto"]), service("b.com", [90, "auto"])];
  const inputs = inputsOf({ services, virtualServices: [virtual("v", "*.com")], port: 90 });
  expect(described(onlyHost(inputs, "b.com", writer))).toEqual({ "b.com:90": "* to outbound|90||v" });
  expect(onlyHost(inputs, "c.com", writer)).toEqual([]);
});

test("the first of two virtual services for one host wins, and the second is reported", () => {
  const virtualServices = [virtual("first", "a.com"), virtual("second", "a.com", "only.com")];
  const { conflicts } = sidecarHosts(inputsOf({ services: [service("a.com", 80)], virtualServices, port: 80 }), writer);
  expect(conflicts).toMatchObject([
    {
      type: "virtual-host",
      about: "a.com:80",
      winner: "VirtualService/shop/first",
      losers: ["VirtualService/shop/second"],
    },
  ]);
});

function aliased(hostname: string, alias: string, ...aliasPorts: readonly number[]): Service {
  const { ports } = service(alias, ...aliasPorts);
  const owner = configId("Service", "web", alias);
  return { ...service(hostname, 80, 90), aliases: [{ hostname: alias, ports, owner }] };
}

test("an alias is one more name of its service, on every port of it", () => {
  expect(hostsOf({ services: [aliased("a.com", "b.com", 80)], port: 90 })).toEqual({
    "a.com:90": "a.com b.com to outbound|90||a.com",
  });
});

test("a virtual service for an alias takes it from the service, on the ports that the alias has", () => {
  const listener = { services: [aliased("a.com", "b.com", 80)], virtualServices: [virtual("v", "b.com")] };
  expect(hostsOf({ ...listener, port: 80 })).toEqual({
    "a.com:80": "a.com to outbound|80||a.com",
    "b.com:80": "b.com to outbound|80||v",
  });
  expect(hostsOf({ ...listener, port: 90 })).toEqual({ "a.com:90": "a.com b.com to outbound|90||a.com" });
});

test("a destination that is an alias resolves to its service", () => {
  const virtualServices = [virtual("b.com", "a.com")];
  expect(hostsOf({ services: [aliased("a.com", "b.com", 80)], virtualServices, port: 80 })).toEqual({
    "a.com:80": "a.com b.com to outbound|80||a.com",
  });
});
