import fc from "fast-check";
import { expect, test } from "vitest";
import { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { contentOf, gateway, PoisonedMesh, readPoisoned, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { backends, edited, firstMesh, missingIn, objectsOf, step } from "./rollout/random-edits.ts";
import { danglingOf, StagedMesh } from "./rollout/staged-mesh.ts";

type Mode = "sotw" | "delta";
const always = [theGateway, ...backends.map(service)];
const fresh = new Map<string, ReturnType<typeof freshProxyOf>>();

function freshProxy(mode: Mode, objects: Iterable<string>): ReturnType<typeof freshProxyOf> {
  const all = [...always, ...objects];
  const key = [mode, ...all.toSorted()].join("\n");
  const made = fresh.get(key) ?? freshProxyOf(mode, all);
  fresh.set(key, made);
  return made;
}

/** The content of a fresh proxy of a fresh server with these objects. */
async function freshProxyOf(mode: Mode, objects: readonly string[]) {
  const server = await PoisonedMesh.start(...objects);
  const envoy = server.add(new EnvoyModel(mode, readPoisoned, gateway(0)));
  await server.settle();
  return contentOf(envoy);
}

/** Counts over all random stories. */
const met = { waves: 0, joined: 0, merged: 0, removed: 0 };

/** The objects of users, and those that every proxy had last. */
class Users {
  #mesh = firstMesh();
  #newest = objectsOf(this.#mesh);
  readonly #stable = new Map(this.#newest);

  get texts(): readonly string[] {
    return [...this.#newest.values()];
  }

  /** Applies edits as one change. */
  edit({ setting: { mesh } }: StagedMesh, edits: readonly Parameters<typeof edited>[1][]): void {
    this.#mesh = edits.reduce(edited, this.#mesh);
    const next = objectsOf(this.#mesh);
    mesh.batch(() => {
      for (const [id, text] of next) if (this.#newest.get(id) !== text) mesh.apply(text);
      for (const id of this.#newest.keys()) {
        const [kind = "", name = ""] = id.split("/");
        if (!next.has(id)) mesh.remove(kind, "shop", name);
      }
    });
    this.#newest = next;
  }

  /** The objects of proxies that no wave has reached, and of those of the current waves. */
  now({ rollouts: { rollouts } }: StagedMesh): Record<"stable" | "candidate", readonly string[]> {
    const current = rollouts.find(({ wave, phase }) => wave > 0 && phase !== "halted");
    const held = new Set<string>();
    const inWave = new Set<string>();
    for (const rollout of rollouts) {
      for (const { id, joined, next } of rollout.change.objects.values()) {
        const key = id.replace("/shop/", "/");
        held.add(key);
        if (rollout === current) inWave.add(key);
        if (joined) met.joined += 1;
        if (next === undefined) met.removed += 1;
      }
      met.merged += rollout.change.merged.length;
    }
    if (current !== undefined) met.waves += 1;
    const newest = (key: string, to: Map<string, string>) => {
      const text = this.#newest.get(key);
      if (text === undefined) to.delete(key);
      else to.set(key, text);
    };
    const keys = new Set([...this.#newest.keys(), ...this.#stable.keys()]);
    for (const key of keys) if (!held.has(key)) newest(key, this.#stable);
    const candidate = new Map(this.#stable);
    for (const key of inWave) newest(key, candidate);
    return { stable: [...this.#stable.values()], candidate: [...candidate.values()] };
  }
}

async function check(mode: Mode, mesh: StagedMesh, users: Users): Promise<void> {
  const { stable, candidate } = users.now(mesh);
  // Users' own meshes are whole, so both meshes must be.
  expect([missingIn(stable), missingIn(candidate)]).toEqual([[], []]);
  const [others, inWave] = [await freshProxy(mode, stable), await freshProxy(mode, candidate)];
  for (const envoy of mesh.envoys) {
    expect(danglingOf(envoy)).toEqual([]);
    expect(contentOf(envoy)).toEqual(mesh.isReached(envoy) ? inWave : others);
  }
}

test.each(["sotw", "delta"] as const)(
  "each proxy has the mesh of its wave, and no wave leaves a reference that dangles, %s",
  async (mode) => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 6 }), async (steps) => {
      const users = new Users();
      const mesh = await StagedMesh.start(mode, 6, [...always, ...users.texts]);
      for (const { edits, seconds, action } of steps) {
        users.edit(mesh, edits);
        await mesh.setting.settle();
        await mesh.pass(5);
        await check(mode, mesh, users);
        const [first] = mesh.rollouts.rollouts;
        if (action === "connect") mesh.connect();
        else if (action === "edit") users.edit(mesh, [{ type: "plain", plain: mesh.setting.mesh.clock.now() }]);
        else if (action !== "nothing" && first !== undefined) mesh.rollouts.command(action, first.change.id);
        await mesh.setting.settle();
        await mesh.pass(seconds);
        await check(mode, mesh, users);
      }
      expect(mesh.setting.mesh.observer.failures).toEqual([]);
    });
    Object.assign(met, { waves: 0, joined: 0, merged: 0, removed: 0 });
    await fc.assert(property, { seed, numRuns: runs(8), endOnFailure: true });
    const { waves, joined, merged, removed } = met;
    expect(Math.min(waves, joined)).toBeGreaterThan(runs(8));
    process.stderr.write(
      `${waves} moments within a wave, ${joined} objects that joined a rollout, ${merged} merged rollouts, ${removed} staged removals\n`,
    );
  },
  240_000,
);
