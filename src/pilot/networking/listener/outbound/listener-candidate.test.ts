import { describe, expect, test } from "vitest";
import { fakeEndpoint } from "../../../../testing/model/fake-service.ts";
import { outboundContext, serviceOn } from "../../../../testing/model/outbound-context.ts";
import { fakeSidecar } from "../../../../testing/model/workload.ts";
import type { EgressListener } from "../../../model/scope/sidecar.ts";
import type { Service, ServiceEndpoints } from "../../../model/service/service.ts";
import { defaultListenerSettings } from "../listener-settings.ts";
import { candidateName, listenerCandidates } from "./listener-candidate.ts";
import type { OutboundClient } from "./outbound-client.ts";

const importsAll: EgressListener = {
  port: undefined,
  bind: "",
  captureMode: "default",
  hosts: [{ namespace: "*", hostname: "*", excluded: false }],
};

interface World {
  readonly services: readonly Service[];
  readonly endpoints?: readonly ServiceEndpoints[];
  readonly egress?: Partial<EgressListener>;
}

/** The names of the listeners of all candidates; those the proxy binds itself are marked. */
function candidateNames(
  { services, endpoints = [], egress }: World,
  client: Partial<OutboundClient> = {},
): readonly string[] {
  const sidecars =
    egress === undefined ? [] : [fakeSidecar({ namespace: "web", egress: [{ ...importsAll, ...egress }] })];
  const { scope, client: whole, push } = outboundContext({ services, endpoints, sidecars }, client);
  return Array.from(
    listenerCandidates(scope, whole, push),
    (candidate) => `${candidate.bound ? "bound " : ""}${candidateName(candidate)}`,
  );
}

const http = serviceOn("a", "HTTP", { addresses: ["10.0.0.1"] });
const tcp = serviceOn("a", "TCP", { addresses: ["10.0.0.1", "10.0.0.2"] });

describe("the listener address of a service", () => {
  test.each<[string, Service, readonly string[]]>([
    ["HTTP on all addresses, whatever the service's own", http, ["0.0.0.0_80"]],
    ["TCP on each of the service's", tcp, ["10.0.0.1_80", "10.0.0.2_80"]],
    ["TCP without addresses on all", serviceOn("a", "TCP"), ["0.0.0.0_80"]],
    [
      "a subnet on all, told apart by the destination",
      serviceOn("a", "TCP", { addresses: ["10.0.0.0/8"] }),
      ["0.0.0.0_80"],
    ],
    ["UDP nowhere", serviceOn("a", "UDP"), []],
    [
      "TCP on addresses of the proxy's family",
      serviceOn("a", "TCP", { addresses: ["10.0.0.1", "2001:db8::1"] }),
      ["10.0.0.1_80"],
    ],
    [
      "TCP on those there are, if none is of it",
      serviceOn("a", "TCP", { addresses: ["2001:db8::1"] }),
      ["2001:db8::1_80"],
    ],
  ])("%s", (_, service, names) => {
    expect(candidateNames({ services: [service] })).toEqual(names);
  });

  test("a proxy with IPv6 alone listens on its own kind of addresses", () => {
    const six = { wildcard: "::", localhost: "::1" } as const;
    expect(candidateNames({ services: [http] }, six)).toEqual(["::_80"]);
    const both = serviceOn("a", "TCP", { addresses: ["10.0.0.1", "2001:db8::1"] });
    expect(candidateNames({ services: [both] }, six)).toEqual(["2001:db8::1_80"]);
    const settings = { ...defaultListenerSettings, dualStack: true };
    expect(candidateNames({ services: [both] }, { settings })).toEqual(["10.0.0.1_80", "2001:db8::1_80"]);
  });
});

describe("a headless service", () => {
  const headless = serviceOn("a", "TCP", { resolution: "passthrough" });
  const at = (...addresses: readonly string[]): ServiceEndpoints => ({
    hostname: headless.hostname,
    namespace: headless.namespace,
    endpoints: addresses.map((address) => fakeEndpoint({ address, servicePortName: "main" })),
    owners: [],
  });

  test("has a listener at each of its endpoints, but not at the proxy's own address", () => {
    const endpoints = [at("10.1.0.1", "10.1.0.2", "not.an.address")];
    expect(candidateNames({ services: [headless], endpoints }, { ownAddress: "10.1.0.2" })).toEqual(["10.1.0.1_80"]);
  });

  test("without endpoints has a listener on all addresses, except for Kubernetes services", () => {
    expect(candidateNames({ services: [headless] })).toEqual(["0.0.0.0_80"]);
    expect(candidateNames({ services: [{ ...headless, registry: "Kubernetes" }] })).toEqual([]);
  });

  test("with HTTP has a listener on all addresses like any other service", () => {
    const services = [serviceOn("a", "HTTP", { resolution: "passthrough" })];
    expect(candidateNames({ services, endpoints: [at("10.1.0.1")] })).toEqual(["0.0.0.0_80"]);
  });
});

describe("a proxy without redirected traffic", () => {
  const none = { interception: "none" } as const;

  test("binds every port on loopback, whatever the addresses of the services", () => {
    expect(candidateNames({ services: [http] }, none)).toEqual(["bound 127.0.0.1_80"]);
    expect(candidateNames({ services: [tcp] }, none)).toEqual(["bound 127.0.0.1_80"]);
  });

  test("binds them where its Sidecar sets this", () => {
    expect(candidateNames({ services: [http, tcp], egress: { bind: "127.0.1.5" } }, none)[0]).toBe(
      "bound 127.0.1.5_80",
    );
  });

  test("skips ports that it may not bind", () => {
    expect(candidateNames({ services: [http] }, { ...none, unprivileged: true })).toEqual([]);
    expect(candidateNames({ services: [http] }, { unprivileged: true })).toEqual(["0.0.0.0_80"]);
  });

  test("skips the port of its explicit HTTP proxy", () => {
    expect(candidateNames({ services: [http] }, { ...none, httpProxyPort: 80 })).toEqual([]);
  });
});

describe("an egress listener", () => {
  const port = { number: 80, name: "http", protocol: "HTTP" } as const;

  test("is bound if its traffic is not captured, and otherwise receives redirected connections", () => {
    expect(candidateNames({ services: [http], egress: { port, captureMode: "none" } })).toEqual(["bound 127.0.0.1_80"]);
    expect(candidateNames({ services: [http], egress: { port, bind: "127.0.0.7" } })).toEqual(["127.0.0.7_80"]);
  });

  test("may be a Unix socket", () => {
    const socket = { number: 0, name: "http", protocol: "HTTP" } as const;
    const bind = "unix:///var/run/a.sock";
    expect(candidateNames({ services: [http], egress: { port: socket, bind } })).toEqual([
      "bound unix:///var/run/a.sock_0",
    ]);
  });
});

test("a port reserved by the proxy is never bound on all addresses", () => {
  const onPort = (number: number) => candidateNames({ services: [serviceOn("a", "HTTP", { port: number })] });
  expect(onPort(15_001)).toEqual([]);
  expect(onPort(15_006)).toEqual([]);
  const elsewhere = serviceOn("a", "TCP", { port: 15_001, addresses: ["10.0.0.1"] });
  expect(candidateNames({ services: [elsewhere] })).toEqual(["10.0.0.1_15001"]);
});
