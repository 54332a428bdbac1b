import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configKey } from "../../src/config/config.ts";
import type { Source, SourceEvent } from "../../src/galley/source/source.ts";
import { SourceRecorder } from "../../src/testing/source-recorder.ts";

/** A source in a world that tests can change. The source fills at least the collections of the networking kinds. */
export interface SourceSubject {
  readonly source: Source;
  /** Puts the objects of a YAML text into the world, in place of those of the same names. */
  put(yaml: string): Promise<void>;
  remove(kind: string, namespace: string, name: string): Promise<void>;
  /** Makes the source lose track; absent where it cannot. */
  readonly reset?: () => Promise<void>;
  /** Resolves when the source has handed over everything that was done so far. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";

/** A ServiceEntry with one hostname, in the namespace `shop`. */
function serviceEntry(name: string, hostname = `${name}.shop`): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata:
  name: ${name}
  namespace: shop
spec:
  hosts: [${hostname}]
  ports:
    - { number: 80, name: http, protocol: HTTP }
  resolution: DNS
`;
}

const misspelt = serviceEntry("reviews").replace("resolution", "resoluton");
const unknownKind = serviceEntry("deploy").replace("kind: ServiceEntry", "kind: Deployment");

/** What every source promises, whatever lies behind it; `losesTrack` for one that may have to start over. */
export function describeSource(
  name: string,
  makeSubject: () => Promise<SourceSubject>,
  { losesTrack }: { readonly losesTrack: boolean },
): void {
  describe(`${name} as a source`, () => {
    let subject: SourceSubject;
    let heard: SourceRecorder;

    beforeEach(async () => {
      subject = await makeSubject();
      heard = new SourceRecorder();
    });

    afterEach(async () => {
      await subject.source.stop();
      await subject.close();
    });

    async function start(): Promise<void> {
      await subject.source.start(heard.handler);
      await subject.idle();
    }

    async function put(yaml: string): Promise<void> {
      await subject.put(yaml);
      await subject.idle();
    }

    function hostname(object: string): unknown {
      return heard.config(collection, `shop/${object}`)?.spec;
    }

    describeLife();
    describeChanges();
    describeMistakes();

    function describeLife(): void {
      test("says nothing before it is started", async () => {
        await put(serviceEntry("reviews"));
        expect(heard.calls).toEqual([]);
      });

      test("says what is there, then full sync once for each collection, also for empty ones", async () => {
        await put(serviceEntry("reviews"));
        await put(serviceEntry("ratings"));
        await start();
        expect(heard.names).toEqual(["ratings", "reviews"]);
        expect(syncs(heard.events)).toEqual(subject.source.collections.toSorted());
        const sync = heard.events.findIndex((event) => event.type === "fullSync" && event.collection === collection);
        expect(heard.events.findLastIndex(({ type }) => type === "upserted")).toBeLessThan(sync);
      });

      test("speaks only of the collections that it declares, and declares each once", async () => {
        await put(serviceEntry("reviews"));
        await start();
        await subject.remove("ServiceEntry", "shop", "reviews");
        await subject.idle();
        const { name, collections } = subject.source;
        const spoken = heard.events.flatMap((event) => ("collection" in event ? event.collection : []));
        expect(collections).toEqual(expect.arrayContaining(spoken));
        expect(new Set(collections).size).toBe(collections.length);
        expect(name).not.toBe("");
      });

      test("is started once, however often it is asked", async () => {
        await put(serviceEntry("reviews"));
        const late = new SourceRecorder();
        await Promise.all([subject.source.start(heard.handler), subject.source.start(late.handler)]);
        await subject.source.start(late.handler);
        await subject.idle();
        expect(syncs(heard.events)).toHaveLength(subject.source.collections.length);
        expect(late.calls).toEqual([]);
      });

      test("says nothing after it was stopped", async () => {
        await start();
        const before = heard.calls.length;
        await Promise.all([subject.source.stop(), subject.source.stop()]);
        await put(serviceEntry("reviews"));
        expect(heard.calls).toHaveLength(before);
      });

      test("can be stopped before it is started, and while it starts", async () => {
        await subject.source.stop();
        const starting = subject.source.start(heard.handler);
        await subject.source.stop();
        const before = heard.calls.length;
        await starting;
        await put(serviceEntry("reviews"));
        expect(heard.calls).toHaveLength(before);
      });

      test("says everything again at the next start, and hears of changes again", async () => {
        await put(serviceEntry("reviews"));
        await put(serviceEntry("ratings"));
        await start();
        await subject.source.stop();
        await subject.remove("ServiceEntry", "shop", "ratings");
        heard = new SourceRecorder();
        await start();
        expect(heard.names).toEqual(["reviews"]);
        expect(syncs(heard.events)).toEqual(subject.source.collections.toSorted());
        await put(serviceEntry("details"));
        expect(heard.names).toEqual(["details", "reviews"]);
      });

      test("may be started and stopped again and again, and says the same each time", async () => {
        await put(serviceEntry("reviews"));
        await put(serviceEntry("ratings"));
        const told: unknown[] = [];
        for (let round = 0; round < 3; round += 1) {
          const listener = new SourceRecorder();
          await subject.source.start(listener.handler);
          await subject.idle();
          told.push(Array.from(listener.state, ([key, { version }]) => `${key} ${version}`).toSorted());
          expect(syncs(listener.events)).toEqual(subject.source.collections.toSorted());
          await subject.source.stop();
        }
        expect(told).toEqual([told[0], told[0], told[0]]);
        expect(told[0]).toHaveLength(2);
      });

      test("speaks to whoever started it last, and to nobody else", async () => {
        await start();
        await subject.source.stop();
        const [before, latest] = [heard.calls.length, new SourceRecorder()];
        await subject.source.start(latest.handler);
        await put(serviceEntry("reviews"));
        expect(heard.calls).toHaveLength(before);
        expect(latest.names).toEqual(["reviews"]);
      });

      test("forgets at its stop what was wrong, and says only what is wrong at the next start", async () => {
        await put(serviceEntry("reviews"));
        await start();
        await put(misspelt);
        expect(heard.allIssues).toHaveLength(1);
        await subject.source.stop();
        await put(serviceEntry("reviews"));
        heard = new SourceRecorder();
        await start();
        expect(heard.allIssues).toEqual([]);
        expect(heard.names).toEqual(["reviews"]);
      });

      test("is idle while it is stopped", async () => {
        await expect(subject.source.idle()).resolves.toBeUndefined();
        await start();
        await subject.source.stop();
        await expect(subject.source.idle()).resolves.toBeUndefined();
      });

      if (!losesTrack) return;
      test("does not say again after a reset what is gone, and tells of changes as before", async () => {
        await put(serviceEntry("reviews"));
        await put(serviceEntry("ratings"));
        await start();
        await subject.remove("ServiceEntry", "shop", "ratings");
        await subject.reset?.();
        await put(serviceEntry("details"));
        expect(heard.names).toEqual(["details", "reviews"]);
        await subject.remove("ServiceEntry", "shop", "reviews");
        await subject.idle();
        expect(heard.names).toEqual(["details"]);
      });

      test("says everything again after a reset", async () => {
        await put(serviceEntry("reviews"));
        await start();
        heard.calls.length = 0;
        await subject.reset?.();
        await subject.idle();
        expect(heard.events[0]).toEqual({ type: "reset" });
        expect(heard.names).toEqual(["reviews"]);
        expect(syncs(heard.events)).toEqual(subject.source.collections.toSorted());
      });
    }

    function describeChanges(): void {
      test("tells of an object that is added, changed and removed", async () => {
        await start();
        await put(serviceEntry("reviews", "one.shop"));
        expect(hostname("reviews")).toMatchObject({ hosts: ["one.shop"] });
        await put(serviceEntry("reviews", "two.shop"));
        expect(hostname("reviews")).toMatchObject({ hosts: ["two.shop"] });
        await subject.remove("ServiceEntry", "shop", "reviews");
        await subject.idle();
        expect(heard.names).toEqual([]);
        await put(serviceEntry("reviews", "two.shop"));
        expect(hostname("reviews")).toMatchObject({ hosts: ["two.shop"] });
      });

      test("says nothing new of an object that is written again as it is", async () => {
        await put(serviceEntry("reviews"));
        await start();
        const version = heard.config(collection, "shop/reviews")?.version;
        const before = heard.events.length;
        await put(serviceEntry("reviews"));
        const said = heard.events.slice(before);
        expect(said.filter(({ type }) => type !== "upserted" && type !== "issues")).toEqual([]);
        expect(heard.config(collection, "shop/reviews")?.version).toBe(version);
      });

      test("says nothing more of an object once it is gone", async () => {
        await put(serviceEntry("reviews"));
        await put(serviceEntry("ratings"));
        await start();
        await subject.remove("ServiceEntry", "shop", "reviews");
        await subject.idle();
        const before = heard.events.length;
        await put(serviceEntry("ratings", "other.shop"));
        const said = heard.events.slice(before).filter(({ type }) => type !== "issues");
        expect(said).toMatchObject([{ type: "upserted", config: { name: "ratings" } }]);
      });

      test("tells of what was removed and written again meanwhile as it is in the end", async () => {
        await put(serviceEntry("reviews", "one.shop"));
        await start();
        await subject.remove("ServiceEntry", "shop", "reviews");
        await subject.put(serviceEntry("reviews", "two.shop"));
        await subject.idle();
        expect(hostname("reviews")).toMatchObject({ hosts: ["two.shop"] });
      });

      test("delivers a burst completely, each object's last state last", async () => {
        await start();
        const names = Array.from({ length: 200 }, (_, index) => `service-${String(index).padStart(3, "0")}`);
        for (const object of names) await subject.put(serviceEntry(object, "first.shop"));
        for (const object of names) await subject.put(serviceEntry(object, "last.shop"));
        await subject.idle();
        expect(heard.names).toEqual(names);
        for (const object of names) expect(hostname(object)).toMatchObject({ hosts: ["last.shop"] });
      });

      test("gives equal content equal versions, and different content different ones", async () => {
        await start();
        const versions: (string | undefined)[] = [];
        for (const host of ["one.shop", "two.shop", "one.shop"]) {
          await put(serviceEntry("reviews", host));
          versions.push(heard.config(collection, "shop/reviews")?.version);
        }
        expect(versions[0]).toBeDefined();
        expect(versions[2]).toBe(versions[0]);
        expect(versions[1]).not.toBe(versions[0]);
      });
    }

    function describeMistakes(): void {
      test("reports an object of an unknown kind, and goes on without it", async () => {
        await start();
        await put(unknownKind);
        await put(serviceEntry("reviews"));
        expect(heard.allIssues.map(({ code }) => code)).toEqual(["unknown-kind"]);
        expect(heard.names).toEqual(["reviews"]);
      });

      test("reports a bad object with its place, keeps its last good version, and clears the report", async () => {
        await put(serviceEntry("reviews", "good.shop"));
        await start();
        await put(misspelt);
        const [issue] = heard.allIssues;
        expect(issue).toMatchObject({ severity: "error", object: "ServiceEntry shop/reviews" });
        expect(issue?.place?.line).toBe(10);
        expect(hostname("reviews")).toMatchObject({ hosts: ["good.shop"] });
        await put(serviceEntry("reviews", "better.shop"));
        expect(heard.allIssues).toEqual([]);
        expect(hostname("reviews")).toMatchObject({ hosts: ["better.shop"] });
      });

      test("names the place of every object", async () => {
        await put(serviceEntry("reviews"));
        await start();
        const config = heard.config(collection, "shop/reviews");
        expect(config && configKey(config)).toBe("shop/reviews");
        expect(config?.origin).toMatchObject({ source: subject.source.name });
        expect(config?.origin.reference).not.toBe("");
      });
    }
  });
}

function syncs(events: readonly SourceEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "fullSync" ? event.collection : [])).toSorted();
}
