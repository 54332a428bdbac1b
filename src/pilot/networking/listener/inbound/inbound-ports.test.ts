import { describe, expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { stockListenerClient } from "../../../../testing/model/fake-listener-client.ts";
import { fakeEndpoint } from "../../../../testing/model/fake-service.ts";
import { serviceOn } from "../../../../testing/model/outbound-context.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeSidecar } from "../../../../testing/model/workload.ts";
import type { IngressListener } from "../../../model/scope/sidecar.ts";
import { sidecarScopeFor } from "../../../model/scope/sidecar-scope-for.ts";
import type { Service } from "../../../model/service/service.ts";
import { targetOf } from "../../../model/policy/policy-workload.ts";
import type { InboundClient } from "./inbound-client.ts";
import { inboundPortsOf, withoutTaken } from "./inbound-ports.ts";

const client: InboundClient = {
  ...stockListenerClient,
  reservedPorts: [15_001, 15_006],
  certificates: { type: "none" },
  ownAddress: "10.0.0.5",
};

const ingress: IngressListener = {
  port: { number: 8080, name: "http", protocol: "HTTP" },
  bind: "",
  captureMode: "default",
  defaultEndpoint: "127.0.0.1:9090",
  connectionPool: undefined,
};

interface World {
  readonly services?: readonly Service[];
  readonly ingress?: readonly IngressListener[];
}

/** The ports of a workload of namespace `shop` that is an endpoint of each service, on the port it names. */
function portsOf({ services = [], ingress: listeners = [] }: World, changes: Partial<InboundClient> = {}) {
  const endpoints = services.map(({ hostname, namespace, ports }) => ({
    hostname,
    namespace,
    endpoints: ports.map(({ name, targetPort }) => fakeEndpoint({ servicePortName: name, port: targetPort })),
    owners: [],
  }));
  const sidecars = listeners.length === 0 ? [] : [fakeSidecar({ namespace: "shop", name: "s", ingress: listeners })];
  const push = pushOf({ services, endpoints, sidecars });
  const ref = { namespace: "shop", sidecar: sidecars.length === 0 ? "" : "shop/s" };
  const workload = { addresses: ["10.0.0.5"], namespace: "shop", labels: {} };
  return inboundPortsOf({ workload, ref, scope: sidecarScopeFor(ref, push), client: { ...client, ...changes }, push });
}

describe("a workload without a Sidecar", () => {
  test("has inbound ports at its services' endpoints", () => {
    const front = serviceOn("front", "HTTP", {
      ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8080 }],
    });
    expect(portsOf({ services: [front] }).ports).toEqual([
      {
        number: 8080,
        protocol: "HTTP",
        bind: "0.0.0.0",
        bound: false,
        hostname: "front.shop",
        servicePort: 80,
        config: undefined,
        services: [targetOf(front)],
        source: front,
        owner: front.owner,
      },
    ]);
  });

  test("the older of two services for one port decides, and a younger one with another protocol loses", () => {
    const older = serviceOn("z", "TCP", { createdAt: 1 });
    const younger = serviceOn("a", "HTTP", { createdAt: 2 });
    const { ports, conflicts } = portsOf({ services: [younger, older] });
    expect(ports.map(({ protocol }) => protocol)).toEqual(["TCP"]);
    expect(conflicts).toMatchObject([{ about: "0.0.0.0_80", winner: older.owner, losers: [younger.owner] }]);
  });

  test("UDP is served as TCP, and every other protocol on its port takes precedence", () => {
    const older = serviceOn("a", "UDP", { createdAt: 1 });
    const younger = serviceOn("b", "HTTP", { createdAt: 2 });
    expect(portsOf({ services: [older] }).ports.map(({ protocol }) => protocol)).toEqual(["UDP"]);
    const { ports, conflicts } = portsOf({ services: [older, younger] });
    expect([ports.map(({ protocol }) => protocol), conflicts]).toEqual([["HTTP"], []]);
  });

  test("two services of one protocol are no conflict", () => {
    expect(portsOf({ services: [serviceOn("a", "HTTP"), serviceOn("b", "HTTP")] }).conflicts).toEqual([]);
  });

  test("has no inbound ports without redirection, because listeners would take the workload's own ports", () => {
    expect(portsOf({ services: [serviceOn("a", "HTTP")] }, { interception: "none" }).ports).toEqual([]);
  });

  test("has no inbound ports that the proxy reserves", () => {
    expect(portsOf({ services: [serviceOn("a", "HTTP", { port: 15_006 })] }).ports).toEqual([]);
  });
});

describe("a workload whose Sidecar has ingress listeners", () => {
  test("gets the ports of the Sidecar, and none of its services", () => {
    const { ports } = portsOf({ services: [serviceOn("a", "HTTP")], ingress: [ingress] });
    expect(ports).toEqual([
      {
        number: 8080,
        protocol: "HTTP",
        bind: "10.0.0.5",
        bound: false,
        hostname: "s.shop",
        servicePort: 8080,
        config: "/apis/networking.istio.io/v1/namespaces/shop/sidecar/s",
        services: [],
        source: ingress,
        owner: configId("Sidecar", "shop", "s"),
      },
    ]);
  });

  test.each([
    ["default", "redirect", false],
    ["default", "none", true],
    ["none", "redirect", true],
    ["iptables", "none", false],
  ] as const)("capture mode %s of a proxy with interception %s: bound is %s", (captureMode, interception, bound) => {
    const { ports } = portsOf({ ingress: [{ ...ingress, captureMode }] }, { interception });
    expect(ports.map((port) => port.bound)).toEqual([bound]);
  });

  test("binds the address that the Sidecar sets", () => {
    const [port] = portsOf({ ingress: [{ ...ingress, bind: "127.0.1.5" }] }, { interception: "none" }).ports;
    expect(port?.bind).toBe("127.0.1.5");
  });
});

test("the outbound side gets an address that both sides would bind", () => {
  const bound = { ...ingress, bind: "127.0.0.1" };
  const ports = portsOf({ ingress: [bound] }, { interception: "none" });
  const other = serviceOn("other", "HTTP").owner;
  const { ports: left, conflicts } = withoutTaken(ports, new Map([["127.0.0.1_8080", other]]));
  expect(left).toEqual([]);
  expect(conflicts).toMatchObject([
    { about: "127.0.0.1_8080", winner: other, losers: [configId("Sidecar", "shop", "s")] },
  ]);
  expect(withoutTaken(ports, new Map([["127.0.0.1_8081", other]])).ports).toHaveLength(1);
});
