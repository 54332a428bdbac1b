import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { gateway, PoisonedMesh, routeTo, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const backends = ["one", "two", "three"];
const routes = [0, 1, 2, 3];

/** A route sends requests to a backend, and may be poisoned; or a backend comes or goes. */
const edit = fc.oneof(
  fc.record({
    type: fc.constant("route" as const),
    index: fc.constantFrom(...routes),
    backend: fc.constantFrom(...backends),
    value: fc.constantFrom("good", "newer", "poison"),
  }),
  fc.record({
    type: fc.constant("backend" as const),
    name: fc.constantFrom(...backends),
    exists: fc.boolean(),
  }),
);

test.each(["sotw", "delta"] as const)(
  "whatever version stands in place of a refused object, every cluster of an existing service is there, %s",
  async (mode) => {
    const property = fc.asyncProperty(
      fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 10 }),
      async (batches) => {
        const start = [theGateway, ...backends.map(service), ...routes.map((index) => routeTo(index, "one", "good"))];
        const setting = await PoisonedMesh.start(...start);
        const envoys = [0, 1].map((number) => setting.connect(mode, gateway(number)));
        await setting.settle();
        const existing = new Set(backends);
        for (const batch of batches) {
          setting.mesh.batch(() => {
            for (const each of batch) {
              if (each.type === "route") setting.mesh.apply(routeTo(each.index, each.backend, each.value));
              else if (each.exists) setting.mesh.apply(service(each.name));
              else setting.mesh.remove("ServiceEntry", "shop", each.name);
              if (each.type === "route") continue;
              if (each.exists) existing.add(each.name);
              else existing.delete(each.name);
            }
          });
          await setting.settle();
          // A route to a service that is gone answers 503, as a user's route does.
          const dangling = new Set(envoys.flatMap((envoy) => [...envoy.unserved]));
          expect([...existing].filter((name) => dangling.has(`outbound|80||${name}.internal`))).toEqual([]);
          expect([...setting.mesh.discovery.connections].map(({ verdict }) => verdict.type)).toEqual(
            envoys.map(() => "accepted"),
          );
        }
        expect(setting.mesh.observer.failures).toEqual([]);
      },
    );
    await fc.assert(property, { seed, numRuns: runs(3), endOnFailure: true });
  },
  240_000,
);
