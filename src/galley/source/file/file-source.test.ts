import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { settle, TempTree } from "../../../testing/temp-tree.ts";
import { createFileSource } from "./file-source.ts";
import type { ReloadingSource } from "./reloading-source.ts";

function entry(name: string, hostname = `${name}.shop`): string {
  return [
    "apiVersion: networking.istio.io/v1",
    "kind: ServiceEntry",
    `metadata: { name: ${name}, namespace: shop }`,
    `spec: { hosts: [${hostname}], resolution: DNS, ports: [{ number: 80, name: http, protocol: HTTP }] }`,
    "",
  ].join("\n");
}

// The contract of every source is in test/conformance/file-source.test.ts.
describe("a directory of files", () => {
  let tree: TempTree;
  let clock: FakeClock;
  let source: ReloadingSource;
  let heard: SourceRecorder;

  beforeEach(async () => {
    tree = await TempTree.create();
    clock = new FakeClock();
    heard = new SourceRecorder();
    await tree.write("mesh/a.yaml", `${entry("reviews")}---\n${entry("details")}`);
    source = createFileSource({ directory: tree.path("mesh"), kinds, clock });
    await source.start(heard.handler);
    heard.calls.length = 0;
  });

  afterEach(async () => {
    await source.stop();
    await tree.close();
  });

  /** Until the source has seen all that was done. */
  async function seen(): Promise<void> {
    await tree.noticed();
    await settle(source, clock);
  }

  function types(): readonly (readonly string[])[] {
    return heard.calls.map((events) => events.map(({ type }) => type));
  }

  function hostsOf(name: string): unknown {
    const config = heard.config("k8s/networking.istio.io/v1alpha3/serviceentries", `shop/${name}`);
    return config && Reflect.get(Object(config.spec), "hosts");
  }

  test("reports one change of many objects in one call", async () => {
    await tree.replace("mesh/a.yaml", `${entry("details", "new.shop")}---\n${entry("ratings")}`);
    await seen();
    expect(types()).toEqual([["upserted", "upserted", "deleted"]]);
  });

  test("keeps every object when a file is renamed", async () => {
    await tree.move("mesh/a.yaml", "mesh/b.yaml");
    await seen();
    expect(types()).toEqual([["upserted", "upserted"]]);
    expect(heard.state.values().every(({ origin }) => origin.reference.includes("b.yaml"))).toBe(true);
  });

  test("keeps an object whose document moves to another file", async () => {
    await tree.write("mesh/more/b.yaml", entry("details"));
    await tree.write("mesh/a.yaml", entry("reviews"));
    await seen();
    expect(heard.names).toEqual(["details", "reviews"]);
    expect(heard.events.map(({ type }) => type)).not.toContain("deleted");
    expect(heard.allIssues).toEqual([]);
  });

  test("reports nothing when a file is rewritten unchanged", async () => {
    await tree.write("mesh/a.yaml", `${entry("reviews")}---\n${entry("details")}`);
    await tree.write("mesh/notes.txt", "nothing to see");
    await seen();
    expect(heard.calls).toEqual([]);
  });

  test("reports new positions of an otherwise unchanged object", async () => {
    const before = heard.config("k8s/networking.istio.io/v1alpha3/serviceentries", "shop/reviews");
    await tree.write("mesh/a.yaml", `${entry("reviews").replace("spec:", "# comment\nspec:")}---\n${entry("details")}`);
    await seen();
    const after = heard.config("k8s/networking.istio.io/v1alpha3/serviceentries", "shop/reviews");
    expect(after?.version).toBe(before?.version);
    expect(after?.origin.reference).toBe(before?.origin.reference);
    expect([before, after].map((config) => config?.origin.locate("spec.hosts")?.line)).toEqual([4, 5]);
  });

  test("restores a removed object when it is written again unchanged", async () => {
    await tree.write("mesh/a.yaml", entry("reviews"));
    await seen();
    expect(heard.names).toEqual(["reviews"]);
    await tree.write("mesh/a.yaml", `${entry("reviews")}---\n${entry("details")}`);
    await seen();
    expect(heard.names).toEqual(["details", "reviews"]);
  });

  test("sees changes in folders created later", async () => {
    await tree.write("mesh/deep/er/b.yaml", entry("ratings", "one.shop"));
    await seen();
    await tree.write("mesh/deep/er/b.yaml", entry("ratings", "two.shop"));
    await seen();
    expect(hostsOf("ratings")).toEqual(["two.shop"]);
  });

  test("sees a link switched to other files, as Kubernetes updates a mounted ConfigMap", async () => {
    await tree.write("mesh/..one/b.yaml", entry("ratings", "one.shop"));
    await tree.write("mesh/..two/b.yaml", entry("ratings", "two.shop"));
    await tree.link("mesh/..data", "..one");
    await tree.link("mesh/b.yaml", "..data/b.yaml");
    await seen();
    await tree.link("mesh/..data", "..two");
    await seen();
    expect(hostsOf("ratings")).toEqual(["two.shop"]);
    expect(heard.allIssues).toEqual([]);
  });

  test("sees a switched link anywhere on the way to a file, if it may follow such links", async () => {
    await tree.write("releases/one/b.yaml", entry("ratings", "one.shop"));
    await tree.write("releases/two/b.yaml", entry("ratings", "two.shop"));
    await tree.link("releases/current", "one");
    await tree.link("mesh/b.yaml", "../releases/current/b.yaml");
    await source.stop();
    source = createFileSource({ directory: tree.path("mesh"), kinds, clock, followLinksOutside: true });
    await source.start(heard.handler);
    await tree.link("releases/current", "two");
    await seen();
    expect(hostsOf("ratings")).toEqual(["two.shop"]);
  });

  test("keeps the contents of a file that a link out of the directory replaces, and reports the link", async () => {
    await tree.write("secrets/a.yaml", entry("stolen"));
    await tree.link("mesh/a.yaml", "../secrets/a.yaml");
    await tree.link("mesh/b.yaml", "../secrets/a.yaml");
    await seen();
    expect(heard.names).toEqual(["details", "reviews"]);
    const message = expect.stringContaining(`it is a link to ${tree.path("secrets/a.yaml")}, outside the directory`);
    expect(heard.allIssues).toMatchObject([
      { code: "unreadable", message },
      { code: "unreadable", message },
    ]);
    heard.calls.length = 0;
    await tree.write("secrets/a.yaml", entry("stolen", "two.shop"));
    await seen();
    expect(heard.calls).toEqual([]);
    await tree.replace("mesh/a.yaml", entry("reviews"));
    await tree.remove("mesh/b.yaml");
    await seen();
    expect(heard.names).toEqual(["reviews"]);
    expect(heard.allIssues).toEqual([]);
  });

  test.each<[editor: string, save: (text: string) => Promise<void>]>([
    ["cat", (text) => tree.write("mesh/a.yaml", text)],
    ["sed -i", (text) => tree.replace("mesh/a.yaml", text)],
    [
      "Vim",
      async (text) => {
        await tree.write("mesh/.a.yaml.swp", "b0VIM");
        await tree.write("mesh/4913", "");
        await tree.remove("mesh/4913");
        await tree.move("mesh/a.yaml", "mesh/a.yaml~");
        await tree.write("mesh/a.yaml", text);
        await tree.remove("mesh/a.yaml~");
      },
    ],
    [
      "JetBrains",
      async (text) => {
        await tree.write("mesh/a.yaml___jb_tmp___", text);
        await tree.move("mesh/a.yaml", "mesh/a.yaml___jb_old___");
        await tree.move("mesh/a.yaml___jb_tmp___", "mesh/a.yaml");
        await tree.remove("mesh/a.yaml___jb_old___");
      },
    ],
  ])("reports a file saved by %s once, and only its change", async (_editor, save) => {
    await save(`${entry("reviews")}---\n${entry("details", "new.shop")}`);
    await seen();
    expect(types()).toEqual([["upserted"]]);
    expect(hostsOf("details")).toEqual(["new.shop"]);
  });

  test("keeps the contents of an unreadable file, and reports it", async () => {
    await tree.link("mesh/a.yaml", "nowhere");
    await seen();
    expect(heard.names).toEqual(["details", "reviews"]);
    expect(heard.allIssues).toMatchObject([{ code: "unreadable", message: expect.stringContaining("a.yaml") }]);
    await tree.remove("mesh/a.yaml");
    await seen();
    expect(heard.names).toEqual([]);
    expect(heard.allIssues).toEqual([]);
  });

  test("reports invalid UTF-8 at its position, and affects only that document", async () => {
    const text = `${entry("reviews", "f\u00FCr.shop")}---\n${entry("details", "new.shop")}`;
    await tree.write("mesh/a.yaml", Buffer.from(text, "latin1"));
    await seen();
    expect(heard.allIssues).toMatchObject([
      { code: "not-utf8", place: { file: tree.path("mesh/a.yaml"), line: 4, column: 18 } },
    ]);
    expect([hostsOf("reviews"), hostsOf("details")]).toEqual([["reviews.shop"], ["new.shop"]]);
  });

  test("keeps the object of a broken file that is renamed", async () => {
    await tree.write("mesh/a.yaml", `${entry("reviews")}---\nkind: ServiceEnt`);
    await seen();
    await tree.move("mesh/a.yaml", "mesh/b.yaml");
    await seen();
    expect(heard.names).toEqual(["details", "reviews"]);
    expect(heard.events.map(({ type }) => type)).not.toContain("deleted");
  });

  test("keeps everything while the directory is missing, and sees it return", async () => {
    await tree.move("mesh", "elsewhere");
    await seen();
    expect(heard.names).toEqual(["details", "reviews"]);
    expect(heard.issues.get(source.name)).toMatchObject([{ code: "unreadable" }]);
    await tree.write("mesh/b.yaml", entry("ratings"));
    await seen();
    expect(heard.names).toEqual(["ratings"]);
    expect(heard.allIssues).toEqual([]);
    await tree.write("mesh/c.yaml", entry("details"));
    await seen();
    expect(heard.names).toEqual(["details", "ratings"]);
  });

  test.each([
    ["missing", "there is no such directory"],
    ["mesh/a.yaml", "it is not a directory"],
  ])("cannot be started as %s: %s", async (path, reason) => {
    const impossible = createFileSource({ directory: tree.path(path), kinds, clock });
    await expect(impossible.start(heard.handler)).rejects.toMatchObject({
      code: "source-unavailable",
      message: `file:${tree.path(path)}: ${reason}`,
    });
    expect(heard.calls).toEqual([]);
  });

  test("is read at once on request", async () => {
    await tree.write("mesh/b.yaml", entry("ratings"));
    const reloaded = source.reload();
    await settle(source, clock);
    await reloaded;
    expect(types()).toEqual([["upserted"]]);
    expect(heard.names).toEqual(["details", "ratings", "reviews"]);
  });

  test("gives objects without a namespace the default one", async () => {
    await tree.write("mesh/b.yaml", entry("ratings").replace(", namespace: shop", ""));
    await seen();
    expect(Array.from(heard.state.values(), ({ namespace }) => namespace).toSorted()).toEqual([
      "default",
      "shop",
      "shop",
    ]);
  });
});
