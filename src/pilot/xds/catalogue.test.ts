import { describe, expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { append } from "../../lib/append.ts";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../testing/model/push.ts";
import { fakeEndpoint, fakeService } from "../../testing/model/fake-service.ts";
import type { Lease } from "../../xds/resource-source.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";
import type { PushContext } from "../model/push-context.ts";
import type { PushRequest } from "../model/push-request.ts";
import { Catalogue } from "./catalogue.ts";
import type { Generator } from "./generator.ts";
import { createGenerators } from "./generators.ts";

const nodeId = "sidecar~10.0.0.1~cart-0.shop~shop.svc.cluster.local";
const client = proxyWithName(nodeId, { GENERATOR: "grpc" });
const other = proxyWithName("sidecar~10.0.0.2~pay-0.shop~shop.svc.cluster.local", { GENERATOR: "grpc" });
const sidecar = proxyWithName(nodeId);
const router = proxyWithName("router~10.0.0.3~gw-0.shop~shop.svc.cluster.local");

const hostnames = Array.from({ length: 300 }, (_, index) => `s${index}.shop`);
const clusters = hostnames.map((hostname) => `outbound|80||${hostname}`);

function meshOf(known: readonly string[], address = "10.0.1.1"): PushContext {
  return pushOf({
    services: known.map((hostname) => fakeService({ hostname })),
    endpoints: known.map((hostname) => ({
      hostname,
      namespace: "shop",
      endpoints: [fakeEndpoint({ address })],
      owners: [],
    })),
  });
}

const mesh = meshOf(hostnames);

/** A catalogue that counts what generators make, and fails for names that are poisoned. */
function countingCatalogue(push: PushContext) {
  const made: string[] = [];
  const poisoned = new Set<string>();
  const problems: string[] = [];
  const writer = new ProtoWriter();
  const counted = (generator: Generator): Generator => ({
    ...generator,
    families: generator.families.map((family) => ({
      ...family,
      generate(run: Parameters<typeof family.generate>[0]) {
        const { names = "all" } = run.inputs;
        if (names !== "all" && !names.isDisjointFrom(poisoned)) throw new Error("poisoned");
        const generated = family.generate(run);
        append(
          made,
          generated.resources.map(({ name }) => `${generator.shortName} ${name}`),
        );
        return generated;
      },
    })),
  });
  const catalogue = new Catalogue(createGenerators({ writer }).map(counted), push, ({ cause }) => {
    problems.push(cause.message);
  });
  return { catalogue, made, poisoned, problems, writer };
}

function typeOf(catalogue: Catalogue, shortName: string): Generator {
  const type = catalogue.types.find((each) => each.shortName === shortName);
  if (type === undefined) throw new Error(`no type ${shortName}`);
  return type;
}

function namesIn({ target }: Lease): readonly string[] | undefined {
  return target?.flatMap((set) => Array.from(set, ({ name }) => name));
}

function requestFor(...hosts: readonly string[]): PushRequest {
  const changed = new Set(hosts.map((hostname) => configId("Endpoints", "shop", hostname)));
  return { changed, forced: false, reasons: new Map(), startedAt: 0 };
}

const noTurn = () => Promise.resolve();

/** The names one by one, like a client that adds channels: each new lease begins before the last one ends. */
function addOneByOne(catalogue: Catalogue, type: Generator, names: readonly string[]): Lease {
  let lease = catalogue.lease(type, client, new Set());
  for (const index of names.keys()) {
    const next = catalogue.lease(type, client, new Set(names.slice(0, index + 1)));
    lease.end();
    lease = next;
  }
  return lease;
}

describe("a gRPC client that adds names one by one", () => {
  test.each<[string, readonly string[]]>([
    ["CDS", clusters],
    ["EDS", clusters],
    ["LDS", hostnames.map((hostname) => `${hostname}:80`)],
    ["RDS", clusters],
  ])("builds each of them once: %s", (shortName, names) => {
    const { catalogue, made, writer } = countingCatalogue(mesh);
    const lease = addOneByOne(catalogue, typeOf(catalogue, shortName), names);
    expect(namesIn(lease)?.toSorted()).toEqual(names.toSorted());
    expect(made.toSorted()).toEqual(names.map((name) => `${shortName} ${name}`).toSorted());
    expect(catalogue.size).toBe(1);
    const { catalogue: whole, writer: once } = countingCatalogue(mesh);
    whole.lease(typeOf(whole, shortName), client, new Set(names));
    expect(writer.encodings).toBeLessThanOrEqual(once.encodings);
    lease.end();
    expect(catalogue.size).toBe(0);
  });

  test("holds only its current names, and releases the others at once", () => {
    const { catalogue } = countingCatalogue(mesh);
    const type = typeOf(catalogue, "CDS");
    const many = catalogue.lease(type, client, new Set(clusters));
    const few = catalogue.lease(type, client, new Set(clusters.slice(0, 2)));
    many.end();
    expect(namesIn(few)).toEqual(clusters.slice(0, 2));
    expect([...catalogue.parts]).toMatchObject([{ type: "CDS", proxies: 1, resources: { size: 2 } }]);
  });
});

describe("clients that share a part", () => {
  test("build each name once, and keep names that others release", () => {
    const { catalogue, made } = countingCatalogue(mesh);
    const type = typeOf(catalogue, "CDS");
    const [one, two, three] = clusters as [string, string, string];
    const mine = catalogue.lease(type, client, new Set([one, two]));
    const theirs = catalogue.lease(type, other, new Set([two, three]));
    expect(made).toEqual([one, two, three].map((name) => `CDS ${name}`));
    expect(mine.id).toBe(theirs.id);
    mine.end();
    expect(namesIn(theirs)).toEqual([two, three]);
    expect(catalogue.size).toBe(1);
    theirs.end();
    expect(catalogue.size).toBe(0);
  });

  test("get responses although a name of another client cannot be built", async () => {
    const { catalogue, poisoned, problems } = countingCatalogue(mesh);
    const type = typeOf(catalogue, "EDS");
    const [one, two] = clusters as [string, string];
    const mine = catalogue.lease(type, client, new Set([one]));
    poisoned.add(two);
    const theirs = catalogue.lease(type, other, new Set([one, two]));
    expect(namesIn(mine)).toEqual([one]);
    expect(theirs.target).toBeUndefined();
    expect(problems).toEqual(["poisoned"]);
    poisoned.clear();
    // Another name that can be made does not make up for it.
    const more = catalogue.lease(type, client, new Set(clusters.slice(2, 3)));
    expect([...catalogue.problems]).toHaveLength(1);
    more.end();
    await catalogue.advance(mesh, requestFor(), noTurn);
    expect(namesIn(theirs)).toEqual([one, two]);
    expect([...catalogue.problems]).toEqual([]);
  });

  test("get no response without a name that failed when the part was new", () => {
    const { catalogue, poisoned } = countingCatalogue(mesh);
    const type = typeOf(catalogue, "EDS");
    const [one, two] = clusters as [string, string];
    poisoned.add(one);
    const mine = catalogue.lease(type, client, new Set([one]));
    const theirs = catalogue.lease(type, other, new Set([two]));
    expect([namesIn(mine), namesIn(theirs)]).toEqual([undefined, [two]]);
  });

  test("see no failure that is over before the next response", () => {
    const { catalogue, poisoned } = countingCatalogue(mesh);
    const type = typeOf(catalogue, "EDS");
    poisoned.add(clusters[0] ?? "");
    const lease = catalogue.lease(type, client, new Set(clusters.slice(0, 1)));
    expect(lease.target).toBeUndefined();
    lease.end();
    expect([...catalogue.problems]).toEqual([]);
  });
});

describe("names that come and go during a push", () => {
  const changed = meshOf(hostnames, "10.0.1.2");
  const [one, two, three] = clusters as [string, string, string];

  test("belong to the new context when it is published", async () => {
    const { catalogue } = countingCatalogue(mesh);
    const type = typeOf(catalogue, "EDS");
    let lease = catalogue.lease(type, client, new Set([one, two]));
    await catalogue.advance(changed, requestFor(...hostnames), () => {
      const next = catalogue.lease(type, client, new Set([two, three]));
      lease.end();
      lease = next;
      expect(namesIn(lease)).toEqual([two, three]);
      return Promise.resolve();
    });
    const { catalogue: fresh } = countingCatalogue(changed);
    const expected = fresh.lease(typeOf(fresh, "EDS"), client, new Set([two, three]));
    expect(lease.target?.map(({ version }) => version)).toEqual(expected.target?.map(({ version }) => version));
  });

  test("are not published where their part was removed meanwhile", async () => {
    const { catalogue } = countingCatalogue(mesh);
    const lease = catalogue.lease(typeOf(catalogue, "EDS"), client, new Set([one]));
    await catalogue.advance(changed, requestFor(...hostnames), () => {
      lease.end();
      return Promise.resolve();
    });
    expect(catalogue.size).toBe(0);
  });
});

describe("an Envoy that requests other names", () => {
  test.each([
    ["a sidecar", sidecar],
    ["a router", router],
  ])("builds nothing new, and leaves nothing behind: %s", (_, proxy) => {
    const { catalogue, made } = countingCatalogue(mesh);
    const type = typeOf(catalogue, "EDS");
    let lease = catalogue.lease(type, proxy, new Set());
    expect(made).toHaveLength(300);
    for (const name of clusters) {
      const asked: NameSet = new Set([name]);
      const next = catalogue.lease(type, proxy, asked);
      lease.end();
      lease = next;
    }
    expect(made).toHaveLength(300);
    expect(catalogue.size).toBe(1);
    lease.end();
    expect(catalogue.size).toBe(0);
  });
});

describe("the build time of resources", () => {
  test("is known for resources of the last push, and absent for unchanged ones", async () => {
    let now = 0;
    const slow = (generator: Generator): Generator => ({
      ...generator,
      families: generator.families.map((family) => ({
        ...family,
        generate(run: Parameters<typeof family.generate>[0]) {
          now += 7;
          return family.generate(run);
        },
      })),
    });
    const generators = createGenerators({ writer: new ProtoWriter() }).map(slow);
    const catalogue = new Catalogue(
      generators,
      mesh,
      () => undefined,
      () => now,
    );
    const [endpoints, clustersOf] = ["EDS", "CDS"].map((type) =>
      catalogue.lease(typeOf(catalogue, type), client, new Set(clusters.slice(0, 1))),
    );
    expect(endpoints?.madeMs).toBe(0);
    await catalogue.advance(meshOf(hostnames, "10.0.1.2"), requestFor(...hostnames), noTurn);
    expect([endpoints?.madeMs, clustersOf?.madeMs]).toEqual([7, 0]);
    await catalogue.advance(meshOf(hostnames, "10.0.1.2"), requestFor(), noTurn);
    expect(endpoints?.madeMs).toBe(0);
  });
});
