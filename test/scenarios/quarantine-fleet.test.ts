import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { endpointType } from "../../src/xds/type-urls.ts";
import {
  contentOf,
  freshContent,
  gateway,
  PoisonedMesh,
  route,
  service,
  theGateway,
} from "./quarantine/poisoned-mesh.ts";

/** One edit: a route gets a value, or disappears. */
interface Edit {
  readonly index: number;
  readonly value: string | undefined;
}

const base = [theGateway, service("backend"), route(100, "good")];
const proxies = 14;
const roles = { rejects: new Set([0, 5, 9]), reconnects: new Set([3, 7, 11]), slow: new Set([2]) };

const edits = fc.array(
  fc.record({ index: fc.nat(5), value: fc.option(fc.stringMatching(/^v[0-9]{1,2}$/), { nil: undefined }) }),
  { minLength: 30, maxLength: 60 },
);

/** From now on the proxy rejects every third change, whatever it contains. */
function rejectsEveryThird(envoy: EnvoyModel): void {
  let changes = 0;
  envoy.reject = (typeUrl) => typeUrl !== endpointType && ++changes % 3 === 0;
}

class EditedFleet {
  readonly setting: PoisonedMesh;
  readonly envoys: readonly EnvoyModel[];
  #rounds = 0;

  constructor(setting: PoisonedMesh, mode: "sotw" | "delta") {
    this.setting = setting;
    this.envoys = Array.from({ length: proxies }, (_, number) => setting.connect(mode, gateway(number)));
  }

  /** A tenth of a second in the life of the fleet. */
  async round(): Promise<void> {
    this.#rounds++;
    await this.setting.mesh.pushed();
    await nextTurn();
    for (let step = 0; step < 4; step++) {
      for (const [number, envoy] of this.envoys.entries()) if (!this.#isSlow(number)) envoy.step();
      await nextTurn();
    }
    for (const number of roles.reconnects) {
      if ((this.#rounds + number) % 20 !== 0) continue;
      this.envoys[number]?.disconnect();
      this.envoys[number]?.connect(this.setting.mesh.discovery);
    }
  }

  #isSlow(number: number): boolean {
    return roles.slow.has(number) && this.#rounds % 5 !== 0;
  }
}

/** The objects after these edits. */
function objectsAfter(all: readonly Edit[]): readonly string[] {
  const routes = new Map<number, string>();
  for (const { index, value } of all) {
    if (value === undefined) routes.delete(index);
    else routes.set(index, route(index, value));
  }
  return [...base, ...routes.values()];
}

test.each(["sotw", "delta"] as const)(
  "proxies that reject at random, reconnect or are slow keep no edit from the others, %s",
  async (mode) => {
    const property = fc.asyncProperty(edits, async (all) => {
      const fleet = new EditedFleet(await PoisonedMesh.start(...base), mode);
      for (let round = 0; round < 20; round++) await fleet.round();
      for (const number of roles.rejects)
        for (const envoy of fleet.envoys.slice(number, number + 1)) rejectsEveryThird(envoy);
      for (const { index, value } of all) {
        if (value === undefined) fleet.setting.mesh.remove("VirtualService", "shop", `vs-${index}`);
        else fleet.setting.mesh.apply(route(index, value));
        await fleet.round();
      }
      const truth = await freshContent(mode, gateway(0), objectsAfter(all));
      const others = fleet.envoys.filter((_, number) => !roles.rejects.has(number) && !roles.reconnects.has(number));
      const isTrue = () => others.every((envoy) => JSON.stringify(contentOf(envoy)) === JSON.stringify(truth));
      for (let round = 0; round < 900 && !isTrue(); round++) await fleet.round();
      expect(others.map((envoy) => contentOf(envoy))).toEqual(others.map(() => truth));
      expect(fleet.setting.mesh.observer.failures).toEqual([]);
    });
    await fc.assert(property, { seed, numRuns: runs(1), endOnFailure: true });
  },
  240_000,
);
