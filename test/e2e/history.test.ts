import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createControlPlane } from "../../src/app/control-plane.ts";
import { pairs } from "../../src/testing/config/fake-certificates.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { coreYaml, pullSecret } from "./support/tls/secret-yaml.ts";
import { objectYaml } from "./support/yaml.ts";

const soon = { seconds: 20 };
const any = "127.0.0.1:0";
const route = (timeout: string, comment = "") => `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: reviews, namespace: shop }
spec:
  hosts: [reviews.example.com]
  http:
    - timeout: ${timeout}${comment}
      route: [{ destination: { host: reviews.example.com } }]
`;

async function directory(): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  return tree.path("history");
}

function writtenIn(path: string): string {
  return readdirSync(path)
    .toSorted()
    .map((name) => readFileSync(join(path, name), "utf8"))
    .join("");
}

/** A server with a history, whose edits are each in the log when `edited` resolves. */
async function serving(dir: MeshDir, history: string) {
  const ports = { xds: any, http: any, metrics: any, ctrlz: "off" };
  const plane = createControlPlane({ sources: [`file:${dir.path}`], history, ...ports, logger: new RecordingLogger() });
  await plane.start();
  const edited = async (file: string, yaml: string, sign = yaml) => {
    dir.write(file, yaml);
    const line = JSON.stringify(sign).slice(1, -1);
    await eventually("the edit is in the history", () => writtenIn(history).includes(line), soon);
  };
  await eventually("the history begins", () => readdirSync(history).length > 0, soon);
  return { plane, edited };
}

test("a server writes its configuration into a log, and the command shows each moment of it", async () => {
  using dir = new MeshDir({ "route.yaml": route("1s") });
  const history = await directory();
  const { plane, edited } = await serving(dir, history);
  await edited("route.yaml", route("2s", " # slower"));
  await edited(
    "other.yaml",
    objectYaml("ServiceEntry", "other", {
      hosts: ["other.example.com"],
      resolution: "NONE",
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    }),
    "other.example.com",
  );
  await plane.stop();
  const ask = async (...args: readonly string[]) => await runCommand(["history", ...args, "--history", history]);
  const list = JSON.parse((await ask("list", "-o", "json")).stdout) as {
    moments: { number: number; at: string; changes: { operation: string; object: string; reference: string }[] }[];
  };
  const [added, updated, start] = list.moments;
  expect(list.moments.map(({ number }) => number)).toEqual([3, 2, 1]);
  expect(start?.changes).toEqual([]);
  expect(updated?.changes).toEqual([
    {
      operation: "updated",
      object: "VirtualService/shop/reviews",
      source: `file:${dir.path}`,
      reference: `${dir.path}/route.yaml:1`,
    },
  ]);
  expect(added?.changes.map(({ operation, object }) => [operation, object])).toEqual([
    ["added", "ServiceEntry/shop/other"],
  ]);

  const at = updated?.at ?? "";
  const just = new Date(Date.parse(at) - 1).toISOString();
  expect((await ask("at", just, "show", "vs/shop/reviews")).stdout).toBe(route("1s").trimEnd());
  expect((await ask("at", at, "show", "vs/shop/reviews")).stdout).toBe(route("2s", " # slower").trimEnd());
  expect((await ask("at", "now", "show")).stdout).toMatch(
    /^OBJECT +SINCE +MOMENT +FROM\nServiceEntry\/shop\/other .*\nVirtualService\/shop\/reviews /u,
  );
  const diff = await ask("at", "1", "diff", "--to", "2");
  expect(diff).toMatchObject({ code: 1, stderr: "1 changed" });
  expect(diff.stdout).toContain("spec.http[0].timeout: 1s");
  const blame = await ask("at", "now", "blame", "vs/shop/reviews");
  expect(
    blame.stdout
      .split("\n")
      .slice(1)
      .map((line) => line.slice(0, 2).trim()),
  ).toEqual(["1", "1", "1", "1", "1", "1", "2", "1"]);
  expect(await ask("at", "2", "show", "se/shop/other")).toMatchObject({ code: 1 });
  expect((await ask("at", "yesterday", "show")).stderr).toContain("TIME: expected now");
});

test("no byte of the log is from a Secret, a key or a token, in no form", async () => {
  const { one } = pairs;
  const password = "hunter2-but-longer";
  const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzb21lb25lIn0.c2lnbmF0dXJlLW9mLWl0";
  const patch = {
    applyTo: "CLUSTER",
    match: { context: "ANY" },
    patch: { operation: "MERGE", value: { metadata: { filter_metadata: { x: { k: one.key } } } } },
  };
  using dir = new MeshDir({
    "secret.yaml": coreYaml("Secret", "shop", {
      stringData: { "tls.crt": one.certificate, "tls.key": one.key, password },
    }),
    "config.yaml": coreYaml("ConfigMap", "settings", { data: { password, "tls.key": one.key } }),
    "pull.yaml": pullSecret("regcred", { "hub.example.com": `robot:${password}` }, "istio-system"),
    "filter.yaml": objectYaml("EnvoyFilter", "key", { configPatches: [patch] }).replace(
      "networking.istio.io/v1",
      "networking.istio.io/v1alpha3",
    ),
    "list.yaml": `apiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "listed" }, stringData: { "tls.crt": one.certificate, "tls.key": one.key } })}\n`,
    "token.yaml": objectYaml("VirtualService", "token", {
      hosts: ["a.example.com"],
      http: [
        {
          headers: { request: { set: { authorization: `Bearer ${token}` } } },
          route: [{ destination: { host: "a.example.com" } }],
        },
      ],
    }),
    "route.yaml": route("1s", ` # ${token}`),
  });
  const history = await directory();
  const { plane, edited } = await serving(dir, history);
  await edited("last.yaml", route("3s").replace("name: reviews", "name: last"));
  await plane.stop();
  const written = writtenIn(history);
  for (const object of ["shop", "regcred", "listed", "settings", "key", "token", "reviews", "last"])
    expect(written).toContain(`"name":"${object}"`);
  const [, line = ""] = one.key.split("\n");
  const plain = [line, one.key, password, token];
  const needles = plain.flatMap((secret) => [
    secret.slice(0, 24),
    Buffer.from(secret).toString("hex").slice(0, 40),
    ...[0, 1, 2].map((skip) =>
      Buffer.from(`${" ".repeat(skip)}${secret}`)
        .toString("base64")
        .slice(8, 24),
    ),
  ]);
  expect(needles.filter((needle) => written.includes(needle))).toEqual([]);
});

test("the log is for its owner only", async () => {
  using dir = new MeshDir({ "route.yaml": route("1s") });
  const history = await directory();
  const { plane } = await serving(dir, history);
  await plane.stop();
  const [file = ""] = readdirSync(history);
  expect([history, join(history, file)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
});

test("after a kill, the log has everything but the last instant, and the next server goes on", async () => {
  using dir = new MeshDir({ "route.yaml": route("1s") });
  const history = await directory();
  for (const round of [1, 2]) {
    await using server = await startBinnacle({ dir: dir.path, args: ["--history", history] });
    await eventually("the history begins", () => readdirSync(history).length === round, soon);
    for (const part of [1, 2]) {
      const next = route(`${round * 10 + part}s`);
      dir.write("route.yaml", next);
      await eventually("the edit is in the history", () => writtenIn(history).includes(`${round * 10 + part}s`), soon);
    }
    dir.write("route.yaml", route("99s"));
    server.kill("SIGKILL");
    await server.exited;
  }
  const { stdout } = await runCommand(["history", "at", "now", "blame", "vs/shop/reviews", "--history", history]);
  expect(stdout).toMatch(/timeout: (?:22|99)s/u);
  const list = await runCommand(["history", "list", "--history", history]);
  expect(list.code).toBe(0);
  expect(list.stdout.match(/server started/gu)).toHaveLength(2);
});
