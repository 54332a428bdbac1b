import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ExitCode } from "../../src/cli/command.ts";
import { type CommandRun, runCommand } from "../../src/testing/recording/run-command.ts";
import { serviceEntry } from "../conformance/source/source-trial.ts";
import { binnacleEnded, type Ended } from "./support/binnacle/command.ts";
import { Kube } from "./support/kube/kube.ts";
import { openDefinition } from "./support/kube/kube-objects.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";

const describeWithKube = await describeWith("kube");

/** The expected output about both objects of the mesh. */
function bothAre(outcome: string): CommandRun {
  const lines = ["ratings", "reviews"].map((name) => `ServiceEntry shop/${name} ${outcome}`);
  return { code: 0, stdout: lines.join("\n"), stderr: "" };
}

/** A store of each kind, and its flags on a command line. */
const stores: Readonly<Record<string, () => Promise<AsyncDisposable & { readonly flags: readonly string[] }>>> = {
  async etcd() {
    const etcd = await Etcd.start();
    return { flags: ["--store", etcd.url("mesh")], [Symbol.asyncDispose]: () => etcd[Symbol.asyncDispose]() };
  },
  async Kubernetes() {
    const kube = await Kube.start();
    await kube.call("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
    const definition = openDefinition({ kind: "ServiceEntry", plural: "serviceentries" });
    await kube.kubectl(["apply", "-f", "{file}"], [definition]);
    await kube.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=20s"]);
    const flags = ["--store", "kube:", "--kubeconfig", kube.kubeconfig("admin")];
    return { flags, [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose]() };
  },
};

describeWithKube("objects in a store", () => {
  describe.each(Object.entries(stores))("of %s", (_name, open) => {
    let store: Awaited<ReturnType<typeof open>>;
    let mesh: MeshDir;

    beforeAll(async () => {
      store = await open();
      mesh = new MeshDir();
    });

    afterAll(async () => {
      mesh[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
    });

    /** Runs the executable to its end. */
    async function binnacle(...args: readonly string[]): Promise<Ended> {
      const { code, stdout, stderr } = await binnacleEnded([...args, ...store.flags], { cwd: mesh.path });
      return { code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
    }

    /** Runs the command in this process, which is faster. */
    function command(args: readonly string[], input = ""): Promise<CommandRun> {
      return runCommand([...args, ...store.flags], { input });
    }

    test("are written when all of them are valid, and left alone when they are equal", async () => {
      mesh.write("reviews.yaml", serviceEntry("reviews"));
      mesh.write("more/ratings.yaml", serviceEntry("ratings").replace("resolution", "resoluton"));
      const invalid = await binnacle("apply", "-f", ".");
      expect(invalid).toMatchObject({ code: 1, stdout: "" });
      expect(invalid.stderr).toContain("more/ratings.yaml:10:3: error unknown-field ServiceEntry shop/ratings");
      expect(invalid.stderr).toContain("nothing was written");
      mesh.write("more/ratings.yaml", serviceEntry("ratings"));
      const apply = ["apply", "-f", mesh.path];
      expect(await command([...apply, "--dry-run"])).toEqual(bothAre("created (dry run)"));
      expect(await command(["get", "se"])).toMatchObject({ code: 0, stdout: "NAMESPACE   NAME   VERSION" });
      expect(await binnacle("apply", "-f", ".")).toEqual(bothAre("created"));
      expect(await command(apply)).toEqual(bothAre("unchanged"));
    });

    test("are shown with their versions, and an older version replaces no newer one", async () => {
      const { stdout: yaml } = await binnacle("get", "ServiceEntry", "reviews", "-n", "shop", "-o", "yaml");
      expect(parse(yaml)).toMatchObject({ metadata: { name: "reviews" }, spec: { hosts: ["reviews.shop"] } });
      const apply = ["apply", "-f", "-"];
      const changed = await command(apply, yaml.replace("reviews.shop", "new.shop"));
      expect(changed).toMatchObject({ code: 0, stdout: "ServiceEntry shop/reviews changed" });
      const late = await command(apply, yaml.replace("reviews.shop", "late.shop"));
      expect(late).toMatchObject({ code: 1, stdout: "" });
      expect(late.stderr).toMatch(/^ServiceEntry shop\/reviews refused: /u);
      const { stdout: now } = await command(["get", "se", "reviews", "-n", "shop", "-o", "json"]);
      expect(JSON.parse(now)).toMatchObject({ spec: { hosts: ["new.shop"] } });
      const names = "serviceentry.networking.istio.io/ratings\nserviceentry.networking.istio.io/reviews";
      expect(await command(["get", "se", "-A", "-n", "elsewhere", "-o", "name"])).toMatchObject({ stdout: names });
      expect(await command(["get", "se", "reviews", "-A"])).toMatchObject({ code: 2 });
      const { stdout: all } = await command(["get", "serviceentries", "-o", "yaml"]);
      expect(await command(apply, all)).toEqual(bothAre("unchanged"));
      expect(await command([...apply, "--force"], yaml)).toMatchObject({ stdout: "ServiceEntry shop/reviews changed" });
    });

    test("are not written at all when one of them is invalid", async () => {
      const { stdout: yaml } = await command(["get", "se", "-o", "yaml"]);
      await command(["apply", "-f", "-"], serviceEntry("reviews", "newer.shop"));
      const refused = await command(["apply", "-f", "-"], yaml.replace("ratings.shop", "late.shop"));
      expect(refused).toMatchObject({ code: 1, stdout: "ServiceEntry shop/ratings skipped" });
      const { stdout: ratings } = await command(["get", "se", "ratings", "-n", "shop", "-o", "json"]);
      expect(JSON.parse(ratings)).toMatchObject({ spec: { hosts: ["ratings.shop"] } });
    });

    test("that several people replace at once are replaced by one of them", async () => {
      const { stdout: yaml } = await command(["get", "se", "reviews", "-n", "shop", "-o", "yaml"]);
      const edits = ["one", "two", "three"].map((host) => yaml.replace(/- \S+\.shop/u, `- ${host}.shop`));
      const ended = await Promise.all(edits.map((edit) => command(["apply", "-f", "-"], edit)));
      expect(ended.filter(({ code }) => code === ExitCode.ok)).toHaveLength(1);
    });

    test("are deleted by name once, or by their files any number of times", async () => {
      const named = ["delete", "ServiceEntry", "ratings", "-n", "shop"];
      const gone = { code: 0, stdout: "ServiceEntry shop/ratings deleted", stderr: "" };
      expect(await binnacle(...named)).toEqual(gone);
      expect(await command(named)).toEqual({ code: 1, stdout: "ServiceEntry shop/ratings absent", stderr: "" });
      expect(await command(["delete", "-f", mesh.path])).toMatchObject({
        code: 0,
        stdout: "ServiceEntry shop/ratings absent\nServiceEntry shop/reviews deleted",
      });
      expect(await command(["delete", "-f", mesh.path])).toEqual(bothAre("absent"));
      expect(await command(["get", "se", "reviews", "-n", "shop"])).toMatchObject({
        code: 1,
        stderr: "binnacle get: there is no ServiceEntry shop/reviews",
      });
    });
  });

  test("of etcd may be too many for one transaction, which is reported", async () => {
    await using etcd = await Etcd.start();
    const input = Array.from({ length: 300 }, (_, index) => serviceEntry(`service-${index}`)).join("---\n");
    const store = ["--store", etcd.url("mesh")];
    const applied = await runCommand(["apply", "-f", "-", ...store, "-o", "json"], { input });
    expect(applied.stderr).toBe(
      "too large for one transaction of etcd: written in 3 transactions, one after the other",
    );
    const outcomes = JSON.parse(applied.stdout) as readonly { readonly outcome: string; readonly version: string }[];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(outcomes.map(() => "created"));
    expect(new Set(outcomes.map(({ version }) => version)).size).toBe(3);
    const again = await runCommand(["apply", "-f", "-", ...store], { input });
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout.split("\n")).toHaveLength(300);
  });
});
