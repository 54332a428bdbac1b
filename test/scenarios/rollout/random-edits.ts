import fc from "fast-check";
import { object } from "../quarantine/poisoned-mesh.ts";
import { staged } from "./staged-objects.ts";

export const backends = ["one", "two"] as const;
const subsets = ["v1", "v2", "v3"];
const routes = [0, 1, 2];

/** Undefined for an object without the annotation. */
type Rollout = "change" | "other" | undefined;

interface Target {
  readonly backend: string;
  /** Empty for all endpoints. */
  readonly subset: string;
}

interface Route extends Target {
  readonly delegates: boolean;
  readonly rollout: Rollout;
}

interface Delegate extends Target {
  readonly rollout: Rollout;
}

/** The objects of a user. Rules follow: each defines exactly the subsets that some route uses, as a careful user writes it. */
interface Mesh {
  readonly routes: ReadonlyMap<number, Route>;
  readonly delegate: Delegate | undefined;
  readonly rules: ReadonlyMap<string, Rollout>;
  /** The content of a route that refers to no other object, and never waits. */
  readonly plain: number;
}

const target = fc.record({ backend: fc.constantFrom(...backends), subset: fc.constantFrom("v1", "v2", "v3", "") });
const index = fc.constantFrom(...routes);
/** Most changes are staged: a change for everybody at once separates nothing. */
const rollout = fc.constantFrom<Rollout>("change", "change", "other", undefined, undefined);
const ruleRollout = fc.constantFrom<Rollout>(undefined, undefined, "change", "other");

/** The shapes in which one object needs another that arrives, or goes, in the same change. */
const edit = fc.oneof(
  // A route moves to a subset that its rule defines from now on, and leaves one that nobody needs any more.
  { weight: 5, arbitrary: fc.record({ type: fc.constant("move" as const), index, target, rollout, ruleRollout }) },
  // Every user of a subset moves to another one. Only one of these routes asks for waves.
  { weight: 3, arbitrary: fc.record({ type: fc.constant("rename" as const), index, to: target, rollout }) },
  // A route delegates to another VirtualService from now on, or does not any more.
  { weight: 3, arbitrary: fc.record({ type: fc.constant("delegate" as const), index, target, rollout }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("undelegate" as const), rollout }) },
  // Something else changes for everybody at once, also in the middle of a wave.
  { weight: 4, arbitrary: fc.record({ type: fc.constant("plain" as const), plain: fc.nat(1_000) }) },
  // A route goes, and its subset with it.
  { weight: 2, arbitrary: fc.record({ type: fc.constant("remove" as const), index, ruleRollout }) },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

export const step = fc.record({
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  /** A first wave, a second one, or the end. */
  seconds: fc.constantFrom(5, 5, 80, 200),
  action: fc.constantFrom("nothing", "nothing", "edit", "edit", "abort", "promote", "pause", "resume", "connect"),
});

/** Two routes share a subset, one delegates, and nothing is staged so far. */
export function firstMesh(): Mesh {
  const made = routes.map((each) => {
    return [each, { ...targetAt(each), delegates: each === 2, rollout: undefined }] as const;
  });
  const delegate = { backend: "two", subset: "v3", rollout: undefined };
  return { routes: new Map(made), delegate, rules: new Map(), plain: 0 };
}

function targetAt(place: number): Target {
  return place < 2 ? { backend: "one", subset: "v1" } : { backend: "two", subset: "v2" };
}

export function edited(mesh: Mesh, change: Edit): Mesh {
  switch (change.type) {
    case "move": {
      const before = mesh.routes.get(change.index);
      const route = { delegates: false, ...before, ...change.target, rollout: change.rollout };
      const rules = new Map(mesh.rules).set(change.target.backend, change.ruleRollout);
      return { ...mesh, routes: new Map(mesh.routes).set(change.index, route), rules };
    }
    case "rename": {
      const { backend, subset } = mesh.routes.get(change.index) ?? targetAt(change.index);
      const isUser = (each: Target) => each.backend === backend && each.subset === subset;
      let asks = change.rollout;
      const renamed = Array.from(mesh.routes, ([place, each]) => {
        if (!isUser(each)) return [place, each] as const;
        const route = { ...each, ...change.to, rollout: asks };
        asks = undefined;
        return [place, route] as const;
      });
      return { ...mesh, routes: new Map(renamed) };
    }
    case "delegate": {
      const root = mesh.routes.get(change.index) ?? { ...targetAt(change.index), rollout: undefined };
      const next = new Map(mesh.routes).set(change.index, { ...root, delegates: true, rollout: change.rollout });
      return { ...mesh, routes: next, delegate: { ...change.target, rollout: undefined } };
    }
    case "undelegate": {
      const plain = Array.from(mesh.routes, ([place, each]) => {
        return [place, each.delegates ? { ...each, delegates: false, rollout: change.rollout } : each] as const;
      });
      return { ...mesh, routes: new Map(plain), delegate: undefined };
    }
    case "plain":
      return { ...mesh, plain: change.plain };
    case "remove":
    default: {
      const left = new Map(mesh.routes);
      const backend = left.get(change.index)?.backend ?? "one";
      left.delete(change.index);
      return { ...mesh, routes: left, rules: new Map(mesh.rules).set(backend, change.ruleRollout) };
    }
  }
}

/** The objects as text, by kind and name. */
export function objectsOf({ routes: all, delegate, rules, plain }: Mesh): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const add = (kind: string, name: string, spec: object, asks: Rollout) => {
    const text = object(kind, name, spec);
    texts.set(
      `${kind}/${name}`,
      asks === undefined ? text : staged(text, { name: asks, waves: "1, 40%", wait: "60s" }),
    );
  };
  for (const [place, { delegates, rollout: asks, ...each }] of all) {
    const delegated = delegates ? [{ match: [{ uri: { prefix: "/d" } }], delegate: { name: "delegate" } }] : [];
    const spec = { hosts: [`host-${place}.example.com`], gateways: ["gw"], http: [...delegated, routeTo(each)] };
    add("VirtualService", `vs-${place}`, spec, asks);
  }
  const elsewhere = [{ match: [{ uri: { prefix: `/${plain}` } }], ...routeTo({ backend: "one", subset: "" }) }];
  add("VirtualService", "plain", { hosts: ["plain.example.com"], gateways: ["gw"], http: elsewhere }, undefined);
  if (delegate !== undefined) add("VirtualService", "delegate", { http: [routeTo(delegate)] }, delegate.rollout);
  const targets: readonly Target[] = [...all.values(), ...(delegate === undefined ? [] : [delegate])];
  for (const backend of backends) {
    const used = subsets.filter((name) => targets.some((each) => each.backend === backend && each.subset === name));
    const named = used.map((name) => ({ name, labels: { version: name } }));
    add("DestinationRule", backend, { host: `${backend}.internal`, subsets: named }, rules.get(backend));
  }
  return texts;
}

interface Written {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly host?: string;
    readonly subsets?: readonly { readonly name: string }[];
    readonly http?: readonly {
      readonly delegate?: { readonly name: string };
      readonly route?: readonly { readonly destination: { readonly host: string; readonly subset?: string } }[];
    }[];
  };
}

/** The subsets and delegates that objects refer to, and that are not among them. */
export function missingIn(texts: readonly string[]): readonly string[] {
  const objects = texts.map((text) => JSON.parse(text) as Written);
  const there = new Set(
    objects.flatMap(({ metadata, spec: { host, subsets: named = [] } }) => [
      `delegate ${metadata.name}`,
      ...named.map(({ name }) => `subset ${host} ${name}`),
    ]),
  );
  const needed = objects.flatMap(({ spec: { http = [] } }) =>
    http.flatMap(({ delegate, route = [] }) => [
      ...(delegate === undefined ? [] : [`delegate ${delegate.name}`]),
      ...route.flatMap(({ destination: { host, subset } }) =>
        subset === undefined ? [] : [`subset ${host} ${subset}`],
      ),
    ]),
  );
  return needed.filter((each) => !there.has(each));
}

function routeTo({ backend, subset }: Target) {
  return { route: [{ destination: { host: `${backend}.internal`, ...(subset !== "" && { subset }) } }] };
}
