import { describe, expect, test } from "vitest";
import { type ConfigId, configId } from "../../config/config.ts";
import { emptyMesh } from "../../testing/envoy/toy-control-plane.ts";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { toyContext, toyGenerator, type ToyInputs } from "../../testing/envoy/toy-mesh.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { clusterType } from "../../xds/type-urls.ts";
import type { PushContext } from "../model/push-context.ts";
import { Catalogue } from "./catalogue.ts";
import type { Generator, GeneratorRun, PartInputs } from "./generator.ts";

const proxy = proxyWithName("sidecar~10.0.0.1~cart-0.shop~shop.svc.cluster.local");
const service = configId("Service", "shop", "cart");
/** In each there is one cluster, of another revision. */
const contexts = [1, 2, 3].map((revision) =>
  toyContext(revision, { ...emptyMesh, clusters: new Map([["cart", revision]]) }),
) as [PushContext, PushContext, PushContext];
const [first, second, third] = contexts;

/** A catalogue of one part. The test sets what the part sees in each context, and the catalogue records its runs. */
function rig(seen: ReadonlyMap<PushContext, readonly ConfigId[]> = new Map()) {
  const runs: GeneratorRun<PartInputs>[] = [];
  const asked = { concerns: 0, dependencies: 0 };
  const toy = toyGenerator(clusterType);
  const generator: Generator = {
    ...toy,
    families: toy.families.map((family) => ({
      ...family,
      parts: (): readonly ToyInputs[] => [{ namespace: "a" }, { namespace: "b" }],
      concerns: (kind) => {
        asked.concerns++;
        return kind === "Service";
      },
      dependencies: (_, push) => {
        asked.dependencies++;
        return (id) => (seen.get(push) ?? []).includes(id);
      },
      generate: (run) => {
        runs.push(run);
        return family.generate(run);
      },
    })),
  };
  const catalogue = new Catalogue([generator], first, () => undefined);
  const lease = catalogue.lease(generator, proxy, "all");
  const advance = async (push: PushContext, changed: readonly ConfigId[], forced = false) => {
    runs.length = 0;
    const request = { changed: new Set(changed), forced, reasons: new Map(), startedAt: 0 };
    await catalogue.advance(push, request, () => Promise.resolve());
    return runs.map(({ since }) => since && { from: since.push.sequence, changed: [...since.changed] });
  };
  return { catalogue, lease, advance, asked };
}

describe("a part", () => {
  test.each([
    ["before", new Map([[first, [service]]])],
    ["after", new Map([[second, [service]]])],
  ])("is run for a change of an object that it sees %s it", async (_, seen) => {
    const { advance } = rig(seen);
    const run = { from: 1, changed: [service] };
    expect(await advance(second, [service])).toEqual([run, run]);
  });

  test("is not run for objects outside its scope, nor for kinds that do not affect it", async () => {
    const endpoints = configId("Endpoints", "shop", "cart");
    const { advance } = rig(new Map([[first, [endpoints]]]));
    expect(await advance(second, [service])).toEqual([]);
    expect(await advance(second, [endpoints])).toEqual([]);
  });

  test("is asked for its dependencies only if a change concerns its family, which is asked once per change", async () => {
    const { advance, asked } = rig();
    await advance(second, [configId("Endpoints", "shop", "cart"), configId("Gateway", "shop", "edge")]);
    expect(asked).toEqual({ concerns: 2, dependencies: 0 });
    await advance(third, [service]);
    expect(asked).toEqual({ concerns: 3, dependencies: 4 });
  });

  test("receives only its own changes, and the context of its last run", async () => {
    const other = configId("Gateway", "shop", "edge");
    const { advance, catalogue } = rig(new Map(contexts.map((push) => [push, [service, other]])));
    await advance(second, []);
    expect(catalogue.published).toBe(second);
    const run = { from: 2, changed: [service] };
    expect(await advance(third, [other, service])).toEqual([run, run]);
  });

  test("is run for everything in a forced push", async () => {
    const { advance, lease } = rig();
    const before = lease.target?.map(({ version }) => version) ?? [];
    expect(await advance(second, [], true)).toEqual([undefined, undefined]);
    const after = lease.target?.map(({ version }) => version) ?? [];
    expect(after).toHaveLength(2);
    expect(after.filter((version) => before.includes(version))).toEqual([]);
  });
});

test("a lease looks at its parts once per change of a set, however often a stream asks for its target", async () => {
  const { advance, lease } = rig(new Map([[first, [service]]]));
  const reads = () => {
    for (let n = 0; n < 100; n++) void lease.target;
  };
  const looks = () =>
    functionCalls(
      (url) => url.endsWith("/part-lease.ts"),
      reads,
      (name) => name === "#look",
    );
  expect(await looks()).toBe(1);
  expect(await looks()).toBe(0);
  const before = lease.target;
  await advance(second, [service]);
  expect(await looks()).toBe(1);
  expect(lease.target).not.toBe(before);
});

test("a lease is named by all its parts", () => {
  expect(rig().lease.id).toBe('CDS toy {"namespace":"a"}\nCDS toy {"namespace":"b"}');
});

test("a part that could never be made shows no resources", () => {
  const broken: Generator = {
    ...toyGenerator(clusterType),
    families: toyGenerator(clusterType).families.map((family) => ({
      ...family,
      generate: () => {
        throw new Error("planted");
      },
    })),
  };
  const catalogue = new Catalogue([broken], first, () => undefined);
  expect(catalogue.lease(broken, proxy, "all").target).toBeUndefined();
  expect(Array.from(catalogue.parts, ({ name, resources }) => [name, resources.size])).toEqual([
    ['toy {"namespace":"shop"}', 0],
  ]);
});
