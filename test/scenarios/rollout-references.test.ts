import fc from "fast-check";
import { expect, test } from "vitest";
import { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import {
  contentOf,
  gateway,
  object,
  PoisonedMesh,
  readPoisoned,
  service,
  theGateway,
} from "./quarantine/poisoned-mesh.ts";
import { danglingOf, StagedMesh } from "./rollout/staged-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";

const backends = ["one", "two"];
const subsets = ["v1", "v2", "v3"];
/** Undefined for an object without the annotation. */
const rollout = fc.constantFrom(undefined, "change", "change", "other");
const change = fc.oneof(
  fc.record({
    type: fc.constant("route" as const),
    index: fc.constantFrom(0, 1, 2),
    backend: fc.constantFrom(...backends),
    subset: fc.constantFrom("", ...subsets),
    delegates: fc.boolean(),
    rollout,
  }),
  fc.record({
    type: fc.constant("delegate" as const),
    backend: fc.constantFrom(...backends),
    subset: fc.constantFrom("", ...subsets),
    rollout,
  }),
  fc.record({
    type: fc.constant("rule" as const),
    backend: fc.constantFrom(...backends),
    subsets: fc.subarray(subsets),
    rollout,
  }),
  fc.record({ type: fc.constant("gone" as const), id: fc.constantFrom("VirtualService/vs-0", "VirtualService/vs-1") }),
);
const step = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  seconds: fc.constantFrom(0, 5, 90, 200),
  action: fc.constantFrom("nothing", "nothing", "abort", "promote", "pause", "resume", "connect"),
});

type Change = Exclude<typeof change extends fc.Arbitrary<infer T> ? T : never, { type: "gone" }>;

function objectOf(each: Change): readonly [id: string, text: string] {
  const annotated = (text: string) =>
    each.rollout === undefined ? text : staged(text, { name: each.rollout, waves: "1, 40%", wait: "60s" });
  switch (each.type) {
    case "rule": {
      const named = each.subsets.map((name) => ({ name, labels: { version: name } }));
      const spec = { host: `${each.backend}.internal`, subsets: named };
      return [`DestinationRule/${each.backend}`, annotated(object("DestinationRule", each.backend, spec))];
    }
    case "delegate": {
      const spec = { http: [routeTo(each.backend, each.subset)] };
      return ["VirtualService/delegate", annotated(object("VirtualService", "delegate", spec))];
    }
    case "route":
    default: {
      const delegated = each.delegates ? [{ match: [{ uri: { prefix: "/d" } }], delegate: { name: "delegate" } }] : [];
      const http = [...delegated, routeTo(each.backend, each.subset)];
      const spec = { hosts: [`host-${each.index}.example.com`], gateways: ["gw"], http };
      return [`VirtualService/vs-${each.index}`, annotated(object("VirtualService", `vs-${each.index}`, spec))];
    }
  }
}

function routeTo(backend: string, subset: string) {
  return { route: [{ destination: { host: `${backend}.internal`, ...(subset !== "" && { subset }) } }] };
}

/** The subsets of a backend that routes of these objects use. */
function usedSubsets(objects: Iterable<string>, backend: string): readonly string[] {
  const routes = [...objects].filter((text) => text.includes('"VirtualService"'));
  const isUsed = (subset: string) =>
    routes.some((text) => text.includes(JSON.stringify({ host: `${backend}.internal`, subset })));
  return subsets.filter(isUsed);
}

const fresh = new Map<string, ReturnType<typeof freshProxyOf>>();

function freshProxy(mode: "sotw" | "delta", objects: readonly string[]): ReturnType<typeof freshProxyOf> {
  const key = [mode, ...objects.toSorted()].join("\n");
  const made = fresh.get(key) ?? freshProxyOf(mode, objects);
  fresh.set(key, made);
  return made;
}

/** The content of a fresh proxy of a fresh server with these objects. */
async function freshProxyOf(mode: "sotw" | "delta", objects: readonly string[]) {
  const server = await PoisonedMesh.start(...objects);
  const envoy = server.add(new EnvoyModel(mode, readPoisoned, gateway(0)));
  await server.settle();
  return contentOf(envoy);
}

test.each(["sotw", "delta"] as const)(
  "each proxy has the mesh of its wave, and no wave leaves a reference that dangles, %s",
  async (mode) => {
    let [waves, joined] = [0, 0];
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 6 }), async (steps) => {
      const always = [theGateway, ...backends.map(service)];
      const mesh = await StagedMesh.start(mode, 6, always);
      const users = new Map<string, string>();
      /** What every proxy had last. */
      const live = new Map<string, string>();
      const apply = ([id, text]: readonly [string, string]) => {
        mesh.setting.mesh.apply(text);
        users.set(id, text);
      };
      for (const { changes, seconds, action } of steps) {
        mesh.setting.mesh.batch(() => {
          for (const each of changes) {
            if (each.type === "gone") {
              mesh.setting.mesh.remove("VirtualService", "shop", each.id.replace("VirtualService/", ""));
              users.delete(each.id);
            } else apply(objectOf(each));
          }
          // Users' own meshes are whole: each rule defines exactly the subsets that some route uses.
          for (const backend of backends) {
            const used = usedSubsets(users.values(), backend);
            const rule = changes.find((each) => each.type === "rule" && each.backend === backend);
            apply(
              objectOf({
                type: "rule",
                backend,
                subsets: [...used],
                rollout: rule?.type === "rule" ? rule.rollout : undefined,
              }),
            );
          }
        });
        await mesh.setting.settle();
        await mesh.pass(seconds);
        const [first] = mesh.rollouts.rollouts;
        if (action === "connect") mesh.connect();
        else if (action !== "nothing" && first !== undefined) mesh.rollouts.command(action, first.change.id);
        await mesh.setting.settle();
        await check(mesh);
      }
      expect(mesh.setting.mesh.observer.failures).toEqual([]);

      async function check({ rollouts, envoys }: StagedMesh): Promise<void> {
        const all = rollouts.rollouts;
        const held = new Map(
          all.flatMap((each) =>
            [...each.change.objects.keys()].map((id) => [id.replace("/shop/", "/"), each] as const),
          ),
        );
        for (const each of all) joined += [...each.change.objects.values()].filter((one) => one.joined).length;
        for (const id of new Set([...users.keys(), ...live.keys()])) {
          const text = users.get(id);
          if (held.has(id)) continue;
          if (text === undefined) live.delete(id);
          else live.set(id, text);
        }
        const current = all.find(({ wave, phase }) => wave > 0 && phase !== "halted");
        if (current !== undefined) waves += 1;
        const inWave = new Map(live);
        for (const [id, each] of held) {
          if (each !== current) continue;
          const text = users.get(id);
          if (text === undefined) inWave.delete(id);
          else inWave.set(id, text);
        }
        const stable = await freshProxy(mode, [...always, ...live.values()]);
        const candidate = await freshProxy(mode, [...always, ...inWave.values()]);
        for (const envoy of envoys) {
          expect(danglingOf(envoy)).toEqual([]);
          expect(contentOf(envoy)).toEqual(mesh.isReached(envoy) ? candidate : stable);
        }
      }
    });
    await fc.assert(property, { seed, numRuns: runs(3), endOnFailure: true });
    expect(waves).toBeGreaterThan(0);
    process.stderr.write(`${waves} moments within a wave, ${joined} objects that joined a rollout\n`);
  },
  240_000,
);
