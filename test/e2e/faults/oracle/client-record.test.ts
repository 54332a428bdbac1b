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
}

const cluster = { type: "CDS", name: "outbound|9080||stays-0.shop" } as const;
const endpoints = (generation: number) => ({ type: "EDS", name: "outbound|9080||counter.shop", generation }) as const;
const other = { type: "EDS", name: "outbound|9080||other.shop" } as const;
const inbound = (denied: readonly number[], allowed: readonly number[]) =>
  ({ type: "LDS", name: "virtualInbound", denied, allowed }) as const;

/** The findings about a delta sidecar that holds these states one after the other. */
function findings(...states: readonly (readonly Content[])[]): readonly string[] {
  const known: KnownMarks = new Map();
  const member = steadyProxies().find(({ mode, node }) => mode === "delta" && node.id.startsWith("sidecar~"));
  if (member === undefined) throw new Error("the fleet has a delta sidecar");
  const record = new ClientRecord(member, known);
  const resources = new Map<string, PooledResource>();
  const pooled = (content: Content): PooledResource => {
    const key = JSON.stringify(content);
    const id = BigInt(1 + [...resources.keys(), key].indexOf(key));
    const { type, name, generation, denied = [], allowed = [], hasNoEndpoints = false } = content;
    const generations = new Set(generation === undefined ? [] : [generation]);
    known.set(id, {
      generations,
      denied: new Set(denied),
      allowed: new Set(allowed),
      hasNoEndpoints,
    } satisfies ResourceMarks);
    const resource = resources.get(key) ?? { type, name, version: key, content: id, key: id, routes: [], clusters: [] };
    resources.set(key, resource);
    return resource;
  };
  for (const state of states) {
    const held = perType(
      (type) => new Map(state.filter((each) => each.type === type).map((each) => [each.name, pooled(each)])),
    );
    record.applied({ synced: true, held: (type) => held[type] });
  }
  return record.findings.map((sentence) => sentence.slice(sentence.indexOf(": ") + 2));
}

test("the oracle finds nothing in states that follow each other", () => {
  expect(findings([cluster, endpoints(1), inbound([1], [1])], [cluster, endpoints(2), inbound([2], [2])])).toEqual([]);
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
])("the oracle finds %s", ([, finding, ...states]) => {
  expect(findings(...states)).toEqual([expect.stringMatching(finding)]);
});
