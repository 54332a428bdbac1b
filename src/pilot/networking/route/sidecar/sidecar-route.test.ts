import { expect, test } from "vitest";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeSidecar } from "../../../../testing/model/workload.ts";
import type { EgressListener } from "../../../model/scope/sidecar.ts";
import { sidecarScopeFor } from "../../../model/scope/sidecar-scope-for.ts";
import type { Protocol, Service } from "../../../model/service/service.ts";
import { sidecarRoutesOf } from "./sidecar-route.ts";

const everything = [{ namespace: "*", hostname: "*", excluded: false }];

function listener(changes: Partial<EgressListener>): EgressListener {
  return { port: undefined, bind: "", captureMode: "default", hosts: everything, ...changes };
}

function portOf(number: number, protocol: Protocol) {
  return { number, name: `p${number}`, protocol };
}

function service(hostname: string, protocol: Protocol, addresses: readonly string[] = []): Service {
  return fakeService({ hostname, addresses, ports: [{ ...portOf(90, protocol), targetPort: 90 }] });
}

/** Per name: which listener's imports decide (by its port), and which port is served. */
function routes(
  services: readonly Service[],
  egress: readonly EgressListener[] = [],
  httpProxy = false,
): Readonly<Record<string, string>> {
  const sidecar = fakeSidecar({ namespace: "shop", egress });
  const push = pushOf({ services, sidecars: [sidecar] });
  const scope = sidecarScopeFor({ namespace: "shop", sidecar: `shop/${sidecar.name}` }, push);
  const found = sidecarRoutesOf(scope, httpProxy);
  return Object.fromEntries(
    Array.from(found, ([name, { egress: imported, port }]) => {
      const listens = imported === undefined ? "none" : `${imported.port?.number ?? "any"}`;
      return [name, `${listens}, ${port}`];
    }),
  );
}

test.each<[string, Service, readonly string[]]>([
  ["speaks HTTP", service("a", "HTTP", ["10.0.0.1"]), ["90"]],
  ["speaks gRPC", service("a", "GRPC"), ["90"]],
  ["speaks TCP", service("a", "TCP", ["10.0.0.1"]), []],
  ["is to be sniffed at its own address", service("a", "auto", ["10.0.0.1"]), ["a:90"]],
  ["is to be sniffed at everybody's address", service("a", "auto", ["0.0.0.0"]), ["90", "a:90"]],
  ["is to be sniffed in a subnet", service("a", "auto", ["10.0.0.0/24"]), ["90", "a:90"]],
  ["is to be sniffed and has no address", service("a", "auto"), ["90", "a:90"]],
])("a service that %s", (_, one, names) => {
  expect(Object.keys(routes([one])).toSorted()).toEqual(names);
});

test.each<[string, EgressListener, Readonly<Record<string, string>>]>([
  ["of one port", listener({ port: portOf(90, "HTTP") }), { "90": "90, 90" }],
  ["of a port nobody serves", listener({ port: portOf(91, "HTTP") }), { "91": "91, 91" }],
  ["of one port for TCP", listener({ port: portOf(90, "TCP") }), {}],
  ["that sniffs", listener({ port: portOf(90, "auto"), bind: "127.0.0.1" }), { "a:90": "90, 90" }],
  ["that is an HTTP proxy", listener({ port: portOf(3128, "HTTP_PROXY") }), { "3128": "3128, 0" }],
  [
    "that sniffs on a unix socket",
    listener({ port: portOf(0, "auto"), bind: "unix:///run/x" }),
    { "unix:///run/x": "0, 0" },
  ],
  ["on a unix socket", listener({ port: portOf(0, "HTTP"), bind: "unix:///run/x" }), { "unix:///run/x": "0, 0" }],
])("an egress listener %s", (_, egress, expected) => {
  expect(routes([service("a", "HTTP")], [egress])).toEqual(expected);
});

test("the egress listener of a port takes precedence over the one for all ports", () => {
  const egress = [listener({ port: portOf(90, "HTTP") }), listener({})];
  const other = fakeService({ hostname: "b", ports: [{ ...portOf(91, "HTTP"), targetPort: 91 }] });
  expect(routes([service("a", "HTTP"), other], egress)).toEqual({ "90": "90, 90", "91": "any, 91" });
});

test("the port of a request is ignored, also by HTTP proxies, but not on a unix socket", () => {
  const egress = [
    listener({ port: portOf(3128, "HTTP_PROXY") }),
    listener({ port: portOf(0, "HTTP"), bind: "unix:///run/x" }),
    listener({}),
  ];
  const scope = sidecarScopeFor(
    { namespace: "shop", sidecar: "shop/default" },
    pushOf({
      services: [service("a", "HTTP")],
      sidecars: [fakeSidecar({ namespace: "shop", name: "default", egress })],
    }),
  );
  const ignoring = Array.from(sidecarRoutesOf(scope, true), ([name, { ignoresPort }]) => [name, ignoresPort]);
  expect(Object.fromEntries(ignoring)).toEqual({ "3128": true, "unix:///run/x": false, "90": true, http_proxy: true });
});

test("an HTTP proxy of its own has routes, also when no listener imports anything for it", () => {
  expect(routes([], [], true)).toEqual({ http_proxy: "any, 0" });
  expect(routes([], [listener({ port: portOf(90, "HTTP") })], true)["http_proxy"]).toBe("none, 0");
});
