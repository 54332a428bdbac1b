import { expect, test } from "vitest";
import { type FleetResourceType, perType } from "../../../../src/fleet/fleet-resource-type.ts";
import type { PooledResource } from "../../../../src/fleet/resource-pool.ts";
import { steadyProxies } from "../../support/xds/steady-fleet.ts";
import { ClientRecord } from "./client-record.ts";
import type { KnownMarks, ResourceMarks } from "./resource-marks.ts";

/** A content of a resource: the generations in it, and whether it is a load assignment without endpoints. */
interface Content {
  readonly type: FleetResourceType;
  readonly name: string;
  readonly generation?: number;
  readonly denied?: readonly number[];
  readonly allowed?: readonly number[];
  readonly hasNoEndpoints?: boolean;
  /** A route configuration whose virtual hosts are resources. */
  readonly awaitsHosts?: boolean;
  /** The virtual hosts in the content, with their hashes. */
  readonly hosts?: readonly (readonly [name: string, content: bigint])[];
}

const cluster = { type: "CDS", name: "outbound|9080||stays-0.shop" } as const;
const endpoints = (generation: number) => ({ type: "EDS", name: "outbound|9080||counter.shop", generation }) as const;
const other = { type: "EDS", name: "outbound|9080||other.shop" } as const;
const inbound = (denied: readonly number[], allowed: readonly number[]) =>
  ({ type: "LDS", name: "virtualInbound", denied, allowed }) as const;
const whole = (generation: number) =>
  ({
    type: "RDS",
    name: "9080",
    generation,
    hosts: [
      ["9080/counter.shop", BigInt(generation)],
      ["9080/stays-0.shop", 1n],
    ],
  }) as const;
const shell = { type: "RDS", name: "9080", awaitsHosts: true } as const;
const counterHost = (generation: number) =>
  ({
    type: "VHDS",
    name: "9080/counter.shop",
    generation,
    hosts: [["9080/counter.shop", BigInt(generation)]],
  }) as const;
const constantHost = (content = 1n) =>
  ({ type: "VHDS", name: "9080/stays-0.shop", hosts: [["9080/stays-0.shop", content]] }) as const;

/** The findings about a delta sidecar that holds these states one after the other. */
function findings(...states: readonly (readonly Content[])[]): readonly string[] {
  return recorded(...states).findings.map((sentence) => sentence.slice(sentence.indexOf(": ") + 2));
}

function recorded(...states: readonly (readonly Content[])[]): ClientRecord {
  const known: KnownMarks = new Map();
  const member = steadyProxies().find(({ mode, node }) => mode === "delta" && node.id.startsWith("sidecar~"));
  if (member === undefined) throw new Error("the fleet has a delta sidecar");
  const record = new ClientRecord(member, known);
  const resources = new Map<string, PooledResource>();
  const pooled = (content: Content): PooledResource => {
    const key = JSON.stringify(content, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    const id = BigInt(1 + [...resources.keys(), key].indexOf(key));
    const { type, name, generation, denied = [], allowed = [], hasNoEndpoints = false, hosts = [] } = content;
    const { awaitsHosts = false } = content;
    const generations = new Set(generation === undefined ? [] : [generation]);
    known.set(id, {
      generations,
      denied: new Set(denied),
      allowed: new Set(allowed),
      hasNoEndpoints,
      hosts: new Map(hosts),
    } satisfies ResourceMarks);
    const resource = resources.get(key) ?? {
      type,
      name,
      version: key,
      content: id,
      key: id,
      awaitsHosts,
      routes: [],
      clusters: [],
    };
    resources.set(key, resource);
    return resource;
  };
  for (const state of states) {
    const held = perType(
      (type) => new Map(state.filter((each) => each.type === type).map((each) => [each.name, pooled(each)])),
    );
    record.applied({ synced: true, held: (type) => held[type] });
  }
  return record;
}

function lacksRoutes(state: readonly Content[], generation: number): boolean {
  return recorded(state)
    .lacks(generation)
    .some((each) => each.endsWith("of RDS"));
}

test("the oracle finds nothing in states that follow each other", () => {
  expect(findings([cluster, endpoints(1), inbound([1], [1])], [cluster, endpoints(2), inbound([2], [2])])).toEqual([]);
});

test("a client holds a generation of routes in both forms, and virtual hosts without their shell do not count", () => {
  const states = [[whole(2)], [shell, counterHost(2)], [whole(1)], [shell, counterHost(1)], [shell], [counterHost(2)]];
  expect(states.map((state) => lacksRoutes(state, 2))).toEqual([false, false, true, true, true, true]);
});

test("a shell that comes before its virtual hosts, and new virtual hosts, are no findings", () => {
  const hosts = [shell, counterHost(1), constantHost()];
  expect(findings([shell], hosts, [shell, counterHost(2), constantHost()])).toEqual([]);
});

test("an older virtual host is found, and so are the routes that it makes old", () => {
  expect(findings([shell, counterHost(2)], [shell, counterHost(1)])).toEqual([
    "VHDS 9080/counter.shop went back from generation 2 to 1",
    "RDS 9080 went back from generation 2 to 1",
  ]);
});

test.for<readonly [what: string, finding: RegExp, ...states: (readonly Content[])[]]>([
  ["an older generation", /went back from generation 2 to 1/u, [endpoints(2)], [endpoints(1)]],
  [
    "an older generation after a removal",
    /from generation 2 to 1/u,
    [other, endpoints(2)],
    [other],
    [other, endpoints(1)],
  ],
  ["a type without resources", /all resources of EDS went/u, [endpoints(1)], []],
  [
    "a constant resource that went",
    /stays-0.shop went/u,
    [cluster, { ...cluster, name: "other" }],
    [{ ...cluster, name: "other" }],
  ],
  ["a constant resource that changed", /stays-0.shop changed/u, [cluster], [{ ...cluster, generation: 1 }]],
  [
    "a service without endpoints",
    /has no endpoints any more/u,
    [endpoints(1)],
    [{ ...endpoints(1), hasNoEndpoints: true }],
  ],
  [
    "a listener without a policy",
    /denies for generations \[\] and allows for \[1\]/u,
    [inbound([1], [1])],
    [inbound([], [1])],
  ],
  [
    "policies of two generations",
    /denies for generations \[1\] and allows for \[2\]/u,
    [inbound([1], [1])],
    [inbound([1], [2])],
  ],
  ["older routes", /RDS 9080 went back from generation 2 to 1/u, [whole(2)], [whole(1)]],
  ["older routes in the other form", /RDS 9080 went back/u, [whole(2)], [shell, counterHost(1), constantHost()]],
  [
    "a constant virtual host that went from routes",
    /host 9080\/stays-0.shop went/u,
    [whole(1)],
    [{ ...whole(1), hosts: [["9080/counter.shop", 1n]] }],
  ],
  [
    "a constant virtual host that went",
    /host 9080\/stays-0.shop went/u,
    [shell, counterHost(1), constantHost()],
    [shell, counterHost(1)],
  ],
  [
    "a constant virtual host that changed",
    /host 9080\/stays-0.shop changed/u,
    [shell, constantHost()],
    [shell, constantHost(2n)],
  ],
  [
    "routes without virtual hosts",
    /RDS 9080 has no virtual hosts any more/u,
    [shell, counterHost(1)],
    [shell, { ...counterHost(1), name: "80/counter.shop" }],
  ],
])("the oracle finds %s", ([, finding, ...states]) => {
  expect(findings(...states)).toEqual([expect.stringMatching(finding)]);
});
