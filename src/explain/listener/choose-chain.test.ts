import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FilterChainMatch_ConnectionSourceType as SourceType } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { listenerOn } from "../../testing/envoy/toy-envoy-config.ts";
import { type ChainMatchLiteral, matchesArbitrary } from "../../testing/random/chain-arbitrary.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { chooseChain } from "./choose-chain.ts";
import type { InspectedConnection } from "./inspect-connection.ts";

/** One chain per match, called what the key says. */
function listenerWith(matches: Readonly<Record<string, ChainMatchLiteral>>, fallback?: string): Listener {
  const filterChains = Object.entries(matches).map(([name, filterChainMatch]) => ({ name, filterChainMatch }));
  return listenerOn("0.0.0.0", 15006, {
    name: "inbound",
    filterChains,
    ...(fallback !== undefined && { defaultFilterChain: { name: fallback } }),
  });
}

function connection(changes: Partial<InspectedConnection> = {}): InspectedConnection {
  const plain = { transportProtocol: "raw_buffer", serverName: "", applicationProtocols: [] } as const;
  return { address: "10.0.0.1", source: undefined, port: 80, ...plain, ...changes };
}

function chainFor(listener: Listener, changes: Partial<InspectedConnection>): string | undefined {
  const stage = chooseChain(listener, connection(changes));
  return stage.type === "chosen" ? stage.step.name : undefined;
}

function range(addressPrefix: string, prefixLen: number): ChainMatchLiteral {
  return { prefixRanges: [{ addressPrefix, prefixLen }] };
}

describe("the filter chain of a connection", () => {
  const byEverything = listenerWith({
    "port 90": { destinationPort: 90 },
    "10/8": range("10.0.0.0", 8),
    "10.0/16": range("10.0.0.0", 16),
    exact: { serverNames: ["a.example.com"] },
    wildcard: { serverNames: ["*.example.com"] },
    deep: { serverNames: ["*.b.example.com"] },
    tls: { transportProtocol: "tls" },
    h2: { transportProtocol: "tls", applicationProtocols: ["h2"] },
    "http/1.1": { transportProtocol: "tls", applicationProtocols: ["http/1.1"] },
    plain: { transportProtocol: "raw_buffer" },
  });
  const away = { address: "192.168.0.1" };
  const tls = { ...away, transportProtocol: "tls" } as const;
  test.each<[string, Partial<InspectedConnection>, string]>([
    ["its port", { port: 90 }, "port 90"],
    ["the longest range", {}, "10.0/16"],
    ["a wider range", { address: "10.9.0.1" }, "10/8"],
    ["no range for an unknown address", { address: undefined }, "plain"],
    ["its name", { ...tls, serverName: "a.example.com" }, "exact"],
    ["a wildcard of its name", { ...tls, serverName: "x.example.com" }, "wildcard"],
    ["the longest wildcard", { ...tls, serverName: "x.b.example.com" }, "deep"],
    ["no wildcard for a bare domain", { ...tls, serverName: "example.com" }, "tls"],
    ["its transport", away, "plain"],
    ["the client's preferred protocol", { ...tls, applicationProtocols: ["http/1.1", "h2"] }, "http/1.1"],
    ["the first known protocol", { ...tls, applicationProtocols: ["x", "h2"] }, "h2"],
    ["no unknown protocol", { ...tls, applicationProtocols: ["x"] }, "tls"],
  ])("is chosen by %s", (_, changes, expected) => {
    expect(chainFor(byEverything, changes)).toBe(expected);
  });

  test("an earlier criterion outranks all later criteria", () => {
    const matches = {
      "TLS on 80": { destinationPort: 80, transportProtocol: "tls" },
      "any plaintext": { transportProtocol: "raw_buffer" },
    };
    expect(chainFor(listenerWith(matches), {})).toBeUndefined();
    expect(chainFor(listenerWith(matches, "last"), {})).toBe("last");
    expect(chainFor(listenerWith(matches), { port: 81 })).toBe("any plaintext");
  });

  test("chains for certain callers are skipped if the caller is unknown", () => {
    const matches = {
      port: { sourcePorts: [1] },
      direct: { directSourcePrefixRanges: [{ addressPrefix: "10.0.0.0", prefixLen: 8 }] },
      range: { sourcePrefixRanges: [{ addressPrefix: "10.0.0.0", prefixLen: 8 }] },
      type: { sourceType: SourceType.EXTERNAL },
      all: {},
    };
    expect(chainFor(listenerWith(matches), {})).toBe("all");
  });

  const byCaller = listenerWith({
    "direct 10/8": { directSourcePrefixRanges: [{ addressPrefix: "10.0.0.0", prefixLen: 8 }] },
    "11/8": { sourcePrefixRanges: [{ addressPrefix: "11.0.0.0", prefixLen: 8 }] },
    "11.0/16": { sourcePrefixRanges: [{ addressPrefix: "11.0.0.0", prefixLen: 16 }] },
    local: { sourceType: SourceType.SAME_IP_OR_LOOPBACK },
    all: {},
  });
  test.each([
    ["10.0.0.2", "direct 10/8"],
    ["11.0.0.1", "11.0/16"],
    ["11.9.0.1", "11/8"],
    ["127.0.0.1", "local"],
    ["127.0.0.2", "all"],
    ["12.0.0.1", "local"],
  ])("of a caller from %s to 12.0.0.1 is %s", (source, expected) => {
    expect(chainFor(byCaller, { source, address: "12.0.0.1" })).toBe(expected);
  });

  test("the step says what the chosen chain matches, and what the other chains of the port match", () => {
    const stage = chooseChain(
      listenerWith({
        "other port": { destinationPort: 81 },
        mesh: { destinationPort: 80, transportProtocol: "tls", applicationProtocols: ["istio"] },
        plain: { destinationPort: 80, transportProtocol: "raw_buffer" },
      }),
      connection(),
    );
    expect(stage).toMatchObject({
      step: { why: "it is for port 80, plaintext", passedOver: [{ name: "mesh", why: "it is for TLS" }] },
    });
  });

  test("a refusal says what the chains of the port match", () => {
    const stage = chooseChain(
      listenerWith({ shop: { serverNames: ["shop.example.com"] } }),
      connection({ transportProtocol: "tls", serverName: "x.com", applicationProtocols: ["h2"] }),
    );
    expect(stage).toEqual({
      type: "refused",
      reason: "no filter chain of inbound takes TLS for x.com with protocol h2 on port 80",
      passedOver: [{ name: "shop", why: "it is for server name shop.example.com" }],
    });
  });
});

describe("any set of filter chains", () => {
  const connections = fc.record({
    address: fc.constantFrom(undefined, "127.0.0.1", "127.1.0.1", "10.0.0.1"),
    source: fc.constantFrom(undefined, "127.0.0.1", "10.0.0.1"),
    port: fc.constantFrom(80, 81, 82),
    transportProtocol: fc.constantFrom("tls" as const, "raw_buffer" as const),
    serverName: fc.constantFrom("", "a.b.c", "x.b.c", "x.c"),
    applicationProtocols: fc.subarray(["h2", "http/1.1", "x"]),
  });

  test("gives the same chain in every order", () => {
    const matches = matchesArbitrary([80, 81]);
    const property = fc.property(matches, fc.infiniteStream(fc.nat()), connections, (asked, order, connection) => {
      const named = asked.map((match, index): [string, ChainMatchLiteral] => [`chain ${index}`, match]);
      const shuffled = named
        .map((entry) => ({ entry, rank: order.next().value ?? 0 }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ entry }) => entry);
      const expected = chainFor(listenerWith(Object.fromEntries(named)), connection);
      expect(chainFor(listenerWith(Object.fromEntries(shuffled)), connection)).toBe(expected);
    });
    fc.assert(property, { seed, numRuns: runs(300) });
  });
});
