import { describe, expect, test } from "vitest";
import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { OriginalDstSchema } from "#gen/envoy/extensions/filters/listener/original_dst/v3/original_dst_pb.js";
import { listenerOn, tcpChain, typed } from "../../testing/envoy/toy-envoy-config.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { chooseListener } from "./choose-listener.ts";

const inbound = { trafficDirection: TrafficDirection.INBOUND };

/** A listener that Envoy only reaches by handing over. */
function unbound(address: string, port: number, cluster: string): Listener {
  return listenerOn(address, port, { bindToPort: false, filterChains: [tcpChain(cluster)] });
}

const legacyRange = { filterChainMatch: { prefixRanges: [{ addressPrefix: "192.168.40.0", prefixLen: 24 }] } };

const intercepting = [
  unbound("0.0.0.0", 9080, "http"),
  unbound("10.20.3.1", 5432, "outbound|5432||orders.data.svc.cluster.local"),
  unbound("10.20.3.2", 5432, "outbound|5432||billing.data.svc.cluster.local"),
  listenerOn("0.0.0.0", 5432, {
    bindToPort: false,
    filterChains: [tcpChain("outbound|5432||legacy.example.com", legacyRange)],
  }),
  listenerOn("127.0.0.1", 7000, { filterChains: [tcpChain("outbound|7000||local.example.com")] }),
  listenerOn("0.0.0.0", 15001, { name: "virtualOutbound", useOriginalDst: true }),
  listenerOn("0.0.0.0", 15006, { name: "virtualInbound", listenerFilters: [typed(OriginalDstSchema)], ...inbound }),
  listenerOn("10.0.0.9", 8443, inbound),
];

const bound = [
  listenerOn("127.0.0.1", 9080),
  listenerOn("127.0.0.2", 9080),
  listenerOn("10.0.0.9", 9080, inbound),
  listenerOn("0.0.0.0", 80),
  listenerOn("::", 81, { additionalAddresses: [{ address: listenerOn("0.0.0.0", 82).address }] }),
  listenerOn("0.0.0.0", 443, { udpListenerConfig: {} }),
  listenerOn("0.0.0.0", 444, { bindToPort: false }),
];

function chooseFrom(listeners: readonly Listener[], changes: Partial<SimulatedRequest>) {
  const request = { host: "x", port: 80, path: "/", method: "GET", headers: {}, ...changes };
  const stage = chooseListener({ listeners, routes: [], clusters: [], endpoints: [] }, request);
  return stage.type === "chosen" ? stage : undefined;
}

function nameFrom(listeners: readonly Listener[], changes: Partial<SimulatedRequest>): string | undefined {
  return chooseFrom(listeners, changes)?.step.name;
}

describe("with interception", () => {
  test.each<[string, Partial<SimulatedRequest>, string]>([
    ["an address with a listener of its own", { address: "10.20.3.1", port: 5432 }, "10.20.3.1_5432"],
    ["another address on that port", { address: "10.9.9.9", port: 5432 }, "0.0.0.0_5432"],
    ["any address on a port of the wildcard", { address: "10.9.9.9", port: 9080 }, "0.0.0.0_9080"],
    ["an unknown address on a port of the wildcard", { port: 9080 }, "0.0.0.0_9080"],
    ["a port without a listener", { port: 1234 }, "virtualOutbound"],
    ["the interceptor's own port", { port: 15001 }, "virtualOutbound"],
    ["a bound listener, at its address", { address: "127.0.0.1", port: 7000 }, "127.0.0.1_7000"],
    ["a bound listener, at an unknown address", { host: "local.example.com", port: 7000 }, "virtualOutbound"],
    ["inbound, a captured port", { direction: "inbound", port: 9080 }, "virtualInbound"],
    ["inbound, a bound port", { direction: "inbound", port: 8443 }, "10.0.0.9_8443"],
    ["inbound, that port at another address", { direction: "inbound", address: "::1", port: 8443 }, "virtualInbound"],
  ])("%s", (_, changes, expected) => {
    expect(nameFrom(intercepting, changes)).toBe(expected);
  });

  test.each([
    ["orders.data.svc.cluster.local", "10.20.3.1"],
    ["billing.data", "10.20.3.2"],
    ["legacy.example.com:5432", "192.168.40.0"],
    ["10.20.3.2", "10.20.3.2"],
    ["data", undefined],
  ])("%s is assumed to be %s", (host, address) => {
    expect(chooseFrom(intercepting, { host, port: 5432 })?.value.address).toBe(address);
  });

  test("the step mentions a guessed address, and no given address", () => {
    const guess = chooseFrom(intercepting, { host: "orders.data", port: 5432 });
    expect(guess?.step.notes).toEqual([
      "virtualOutbound intercepts the connection and hands it to this listener",
      "orders.data is assumed to be 10.20.3.1, because a listener there routes to it",
    ]);
    const given = chooseFrom(intercepting, { host: "orders.data", address: "10.20.3.1", port: 5432 });
    expect(given?.step.notes).toEqual(["virtualOutbound intercepts the connection and hands it to this listener"]);
  });

  test.each<[Partial<SimulatedRequest>, boolean]>([
    [{ port: 9080 }, true],
    [{ port: 1234 }, true],
    [{ direction: "inbound", port: 9080 }, true],
    [{ direction: "inbound", port: 8443 }, false],
  ])("the original destination of %o is known: %s", (changes, expected) => {
    expect(chooseFrom(intercepting, changes)?.value.intercepted).toBe(expected);
  });
});

describe("without interception", () => {
  test.each<[string, Partial<SimulatedRequest>, string | undefined]>([
    ["a wildcard takes every address", { address: "10.1.1.1", port: 80 }, "0.0.0.0_80"],
    ["an IPv6 wildcard takes every address", { port: 81 }, "::_81"],
    ["an additional address counts too", { port: 82 }, "::_81"],
    ["the listener of the address", { address: "127.0.0.2", port: 9080 }, "127.0.0.2_9080"],
    ["the first listener if the address is unknown", { port: 9080 }, "127.0.0.1_9080"],
    ["no listener for another address", { address: "10.1.1.1", port: 9080 }, undefined],
    ["a gateway uses its wildcard listener", { direction: "gateway", port: 80 }, "0.0.0.0_80"],
    ["inbound listeners are for inbound traffic", { direction: "inbound", port: 9080 }, "10.0.0.9_9080"],
    ["outbound listeners are not for inbound traffic", { direction: "inbound", port: 80 }, undefined],
    ["a listener for UDP takes no TCP", { port: 443 }, undefined],
    ["an unbound listener cannot be reached", { port: 444 }, undefined],
  ])("%s", (_, changes, expected) => {
    expect(nameFrom(bound, changes)).toBe(expected);
  });

  test("a note names the address to dial, and the step lists the other listeners of the port", () => {
    expect(chooseFrom(bound, { port: 9080 })?.step).toMatchObject({
      why: "it is for 127.0.0.1:9080",
      notes: ["clients have to dial 127.0.0.1:9080"],
      passedOver: [{ name: "127.0.0.2_9080", why: "it is for 127.0.0.2:9080" }],
    });
  });
});
