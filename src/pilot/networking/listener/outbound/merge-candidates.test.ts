import { describe, expect, test } from "vitest";
import type { ConfigId } from "../../../../config/config.ts";
import { outboundContext, serviceOn } from "../../../../testing/model/outbound-context.ts";
import { fakeSidecar } from "../../../../testing/model/workload.ts";
import type { EgressListener, ListenerPort } from "../../../model/scope/sidecar.ts";
import type { Protocol, Service } from "../../../model/service/service.ts";
import type { OutboundListener } from "./merge-candidates.ts";
import type { OutboundChain } from "./outbound-chain.ts";
import type { OutboundClient } from "./outbound-client.ts";
import { planOutbound } from "./outbound-listeners.ts";

/** `http` with its routes, or `tcp` with its cluster, and the chain match. */
function describeChain({ action, match }: OutboundChain): string {
  const what = action.type === "http" ? `http ${action.routes}` : `tcp ${action.statPrefix.split("|").at(-1)}`;
  const how = [...match.serverNames, ...match.destinations, match.applicationProtocols.length > 0 ? "sniffed" : ""];
  return [what, ...how.filter((text) => text !== "")].join(" ");
}

function only(listeners: readonly OutboundListener[]): OutboundListener {
  expect(listeners.map(({ name }) => name)).toHaveLength(1);
  const [listener] = listeners;
  if (listener === undefined) throw new Error("there is no listener");
  return listener;
}

/** The listener that services share, by age, and the conflicts. */
function shared(services: readonly Service[], client: Partial<OutboundClient> = {}) {
  const aged = services.map((service, createdAt) => ({ ...service, createdAt }));
  const { chains, conflicts } = only(planOutbound(outboundContext({ services: aged }, client)));
  const lost = conflicts.map(({ losers: [loser], winner }) => `${nameIn(loser)} to ${nameIn(winner)}`);
  return { chains: chains.map(describeChain), lost };
}

function nameIn(owner: ConfigId | undefined): string | undefined {
  return owner?.split("/").at(-1);
}

const a = (protocol: Protocol, changes = {}) => serviceOn("a", protocol, changes);
const b = (protocol: Protocol, changes = {}) => serviceOn("b", protocol, changes);

describe("services without addresses, which share the wildcard address", () => {
  test.each<[Protocol, Protocol, readonly string[], readonly string[]]>([
    ["HTTP", "HTTP", ["http 80 sniffed"], []],
    ["HTTP", "GRPC", ["http 80 sniffed"], []],
    ["HTTP", "TCP", ["http 80 sniffed", "tcp b.shop"], []],
    ["HTTP", "auto", ["http 80 sniffed", "tcp b.shop"], []],
    ["HTTP", "TLS", ["http 80 sniffed", "tcp b.shop b.shop"], []],
    ["TCP", "HTTP", ["tcp a.shop", "http 80 sniffed"], []],
    ["TCP", "TCP", ["tcp a.shop"], ["b to a"]],
    ["TCP", "TLS", ["tcp a.shop", "tcp b.shop b.shop"], []],
    ["TCP", "auto", ["tcp a.shop", "http 80 sniffed"], ["b to a"]],
    ["TLS", "HTTPS", ["tcp a.shop a.shop", "tcp b.shop b.shop"], []],
    ["auto", "HTTP", ["tcp a.shop", "http 80 sniffed"], []],
    ["auto", "TCP", ["tcp a.shop", "http 80 sniffed"], ["b to a"]],
    ["auto", "auto", ["tcp a.shop", "http 80 sniffed"], ["b to a"]],
  ])("%s, then %s", (first, second, chains, lost) => {
    expect(shared([a(first), b(second)])).toEqual({ chains, lost });
  });

  test.each<[Protocol, Protocol]>([
    ["MySQL", "HTTP"],
    ["MySQL", "TCP"],
    ["Mongo", "auto"],
    ["Mongo", "MySQL"],
    ["TCP", "MySQL"],
    ["HTTP", "Mongo"],
  ])(
    "%s does not share a port with %s: protocol detection would wait for a server that waits for it",
    (first, second) => {
      const { chains, lost } = shared([a(first), b(second)]);
      expect(chains).toHaveLength(1);
      expect(lost).toEqual(["b to a"]);
    },
  );
});

describe("services on one address of the proxy's own", () => {
  const none = { interception: "none" } as const;

  test.each<[Protocol, Protocol, readonly string[], readonly string[]]>([
    ["HTTP", "HTTP", ["http 80"], []],
    ["HTTP", "TCP", ["http 80"], ["b to a"]],
    ["TCP", "HTTP", ["tcp a.shop"], ["b to a"]],
    ["TCP", "TCP", ["tcp a.shop"], ["b to a"]],
    ["HTTP", "auto", ["tcp b.shop", "http b.shop:80 sniffed"], ["a to b"]],
    ["auto", "HTTP", ["tcp a.shop", "http a.shop:80 sniffed"], ["b to a"]],
    ["TLS", "TLS", ["tcp a.shop"], ["b to a"]],
  ])("%s, then %s", (first, second, chains, lost) => {
    expect(shared([a(first), b(second)], none)).toEqual({ chains, lost });
  });
});

test("all services of a shared listener lose it to the service that replaces it", () => {
  const services = [a("HTTP"), b("HTTP"), serviceOn("c", "auto")];
  expect(shared(services, { interception: "none" }).lost).toEqual(["a to c", "b to c"]);
});

describe("services with addresses", () => {
  test("of one address cannot be separated: the older wins", () => {
    const addresses = ["10.0.0.1"];
    expect(shared([a("TCP", { addresses }), b("TCP", { addresses })])).toEqual({
      chains: ["tcp a.shop"],
      lost: ["b to a"],
    });
  });

  test("of different subnets share a listener", () => {
    const services = [a("TCP", { addresses: ["10.1.0.0/16"] }), b("TCP", { addresses: ["10.2.0.0/16"] })];
    expect(shared(services)).toEqual({ chains: ["tcp a.shop 10.1.0.0/16", "tcp b.shop 10.2.0.0/16"], lost: [] });
  });

  test("of subnets that are only written differently do not", () => {
    const services = [a("TCP", { addresses: ["10.1.2.3/16"] }), b("TCP", { addresses: ["10.1.0.0/16"] })];
    expect(shared(services)).toEqual({ chains: ["tcp a.shop 10.1.2.3/16"], lost: ["b to a"] });
  });

  test("a service is never in conflict with itself", () => {
    expect(shared([a("TCP", { addresses: ["10.1.2.3/16", "10.1.0.0/16"] })]).lost).toEqual([]);
  });
});

test("the age of a service decides, not its name", () => {
  const older = { ...b("TCP"), createdAt: 1 };
  const younger = { ...a("TCP"), createdAt: 2 };
  const { chains } = only(planOutbound(outboundContext({ services: [younger, older] })));
  expect(chains.map(describeChain)).toEqual(["tcp b.shop"]);
});

test("a listener is owned by every service that it serves, and by the Sidecar that imports them", () => {
  const sidecar = fakeSidecar({ namespace: "web", name: "s" });
  const services = [a("HTTP"), b("HTTP"), serviceOn("c", "TCP", { port: 81 })];
  const [listener] = planOutbound(outboundContext({ services, sidecars: [sidecar] }));
  expect(new Set(listener?.owners)).toEqual(new Set([services[0]?.owner, services[1]?.owner, sidecar.owner]));
});

function egress(port: ListenerPort | undefined, hostname: string): EgressListener {
  return { port, bind: "", captureMode: "default", hosts: [{ namespace: "*", hostname, excluded: false }] };
}

describe("a Sidecar's egress listener with a port", () => {
  test("keeps the services of the listener for all other ports out, without a conflict", () => {
    const http = { number: 80, name: "http", protocol: "HTTP" } as const;
    const listeners = [egress(http, "a.shop"), egress(undefined, "*")];
    const sidecar = fakeSidecar({ namespace: "web", name: "s", egress: listeners });
    const services = [a("HTTP"), serviceOn("c", "TCP", { createdAt: -1 })];
    const listener = only(planOutbound(outboundContext({ services, sidecars: [sidecar] })));
    expect(listener.chains.map(describeChain)).toEqual(["http 80 sniffed"]);
    expect(listener.conflicts).toEqual([]);
    expect(listener.owners).not.toContain(services[1]?.owner);
  });

  test("uses the protocol of the Sidecar, not of the service", () => {
    const tcp = { number: 80, name: "tcp", protocol: "TCP" } as const;
    const sidecar = fakeSidecar({ namespace: "web", name: "s", egress: [egress(tcp, "*")] });
    const listener = only(planOutbound(outboundContext({ services: [a("HTTP")], sidecars: [sidecar] })));
    expect(listener.chains.map(describeChain)).toEqual(["tcp a.shop"]);
  });
});
