import { generateKeyPairSync } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";
import { smallShop } from "../../testing/mesh/small-shop.ts";
import { eventually } from "../../testing/eventually.ts";
import { YamlSource } from "../../testing/galley/yaml-source.ts";
import { shopEntry, started, wiredServer } from "../../testing/server/wired-server.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import type { Plan } from "../../plan/plan.ts";

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  for (const [path, text] of Object.entries(files)) await tree.write(path, text);
  return tree.directory;
}

const object = (kind: string, name: string, spec: object, group = "networking") =>
  JSON.stringify({ apiVersion: `${group}.istio.io/v1`, kind, metadata: { name, namespace: "shop" }, spec });

/** Routes of a host to the first service of the tests with a server. */
const vs = (host: string) =>
  object("VirtualService", "routes", {
    hosts: [host],
    http: [{ route: [{ destination: { host: "reviews.example" } }] }],
  });

const policy = (action: string, name = "policy") =>
  object("AuthorizationPolicy", name, { action, rules: [{ to: [{ operation: { paths: ["/admin"] } }] }] }, "security");

const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keysNamed = (kid: string) => JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid }] });

/** Which tokens workloads accept. */
const tokens = (jwtRules: readonly object[]) =>
  object(
    "RequestAuthentication",
    "tokens",
    { jwtRules: jwtRules.map((rule) => ({ jwks: keysNamed("a"), ...rule })) },
    "security",
  );

async function planned(before: string, after: string, ...flags: readonly string[]) {
  const [a, b] = [await folder({ "mesh.yaml": before }), await folder({ "mesh.yaml": after })];
  const { code, stdout, stderr } = await runCommand(["plan", b, "--against", a, "-o", "json", ...flags]);
  return { code, stderr, plan: JSON.parse(stdout) as Plan };
}

const moved = smallShop.replace("weight: 80", "weight: 60").replace("weight: 20", "weight: 40");

/** A pull secret whose password is this content. */
const secret = (content: string) => `${smallShop}---
apiVersion: v1
kind: Secret
metadata: { name: keys, namespace: shop }
type: kubernetes.io/dockerconfigjson
stringData: { .dockerconfigjson: '{"auths":{"images.example":{"auth":"${Buffer.from(`user:${content}`).toString("base64")}"}}}' }
`;

describe("plan", () => {
  test("of a directory names the object, the proxy, the resource and the request", async () => {
    const { code, plan } = await planned(smallShop, moved);
    expect(code).toBe(0);
    expect(plan.objects).toMatchObject([{ operation: "changed", id: "VirtualService/shop/shop" }]);
    expect(plan.proxies).toEqual({ total: 3, touched: 1 });
    expect(plan.deliveries).toMatchObject([
      {
        count: 1,
        mode: "delta",
        types: [{ type: "RDS", responses: 1, changes: [{ operation: "changed", name: "http.8080" }] }],
      },
    ]);
    expect(plan.requests.changes).toMatchObject([
      {
        method: "GET",
        url: "http://shop.example.com:8080/reviews",
        before: {
          text: "v1 of reviews.shop.svc.cluster.local:9080 80 %, v2 of reviews.shop.svc.cluster.local:9080 20 %",
        },
        after: {
          text: "v1 of reviews.shop.svc.cluster.local:9080 60 %, v2 of reviews.shop.svc.cluster.local:9080 40 %",
        },
        objects: ["VirtualService/shop/shop"],
      },
    ]);
    expect(plan.risks).toEqual([]);
  });

  test("of single objects does not warn that the mesh has them already", async () => {
    const [against, change] = [await folder({ "mesh.yaml": smallShop }), await folder({ "change.yaml": moved })];
    const { code, stderr } = await runCommand(["plan", `${change}/change.yaml`, "--against", against]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("of the same mesh is empty, and its id depends on the mesh and on the change alone", async () => {
    const same = await planned(smallShop, `# a comment\n${smallShop}`);
    expect(same.plan).toMatchObject({ objects: [], proxies: { touched: 0 }, deliveries: [], conflicts: [], risks: [] });
    const ids = [
      await planned(smallShop, moved),
      await planned(smallShop, moved),
      await planned(moved, smallShop),
      same,
    ];
    const [one, again, back, none] = ids.map(({ plan }) => plan.id);
    expect(again).toBe(one);
    expect(new Set([one, back, none]).size).toBe(3);
  });

  test("of a diff, of written objects and of a directory is the same", async () => {
    const a = await folder({ "mesh.yaml": smallShop });
    const [from, to] = [
      "- {destination: {host: reviews.shop.svc.cluster.local, subset: v1}, weight: 80}",
      "weight: 60}",
    ];
    const line = smallShop.split("\n").findIndex((each) => each.includes(from)) + 1;
    const [old, next] = [smallShop, moved].map((text) => text.split("\n").slice(line - 1, line + 1));
    const diff = [
      "diff --git a/mesh.yaml b/mesh.yaml",
      "--- a/mesh.yaml",
      "+++ b/mesh.yaml",
      `@@ -${line},2 +${line},2 @@`,
      ...(old ?? []).map((each) => `-${each}`),
      ...(next ?? []).map((each) => `+${each}`),
      "",
    ].join("\n");
    expect(diff).toContain(to);
    const written = moved.split("---").find((text) => text.includes("name: shop,"));
    const json = ["--against", a, "-o", "json"];
    const b = await folder({ "mesh.yaml": moved });
    const inputs = [
      await runCommand(["plan", b, ...json]),
      await runCommand(["plan", "-", ...json], { input: diff }),
      await runCommand(["plan", "-", ...json], { input: written ?? "" }),
    ];
    const plans = inputs.map(({ stdout }) => JSON.parse(stdout) as Plan);
    const [first, ...others] = plans.map(({ id, deliveries, requests }) => ({ id, deliveries, requests }));
    expect(first?.deliveries).toHaveLength(1);
    for (const other of others) expect(other).toEqual(first);
  });

  test("knows deleted objects, by name and by a diff that deletes their file", async () => {
    const parts = {
      "routes.yaml": smallShop.split("---").at(-1) ?? "",
      "rest.yaml": smallShop.split("---").slice(0, -1).join("---"),
    };
    const a = await folder(parts);
    const json = ["--against", a, "-o", "json"];
    const text = parts["routes.yaml"].split("\n").slice(0, -1);
    const diff = [
      "diff --git a/routes.yaml b/routes.yaml",
      "deleted file mode 100644",
      "--- a/routes.yaml",
      "+++ /dev/null",
      `@@ -1,${text.length} +0,0 @@`,
      ...text.map((line) => `-${line}`),
      "",
    ].join("\n");
    const byName = await runCommand(["plan", "-", ...json, "--delete", "VirtualService/shop/reviews"], { input: "" });
    const byDiff = await runCommand(["plan", "-", ...json], { input: diff });
    for (const { stdout } of [byName, byDiff]) {
      const { objects } = JSON.parse(stdout) as Plan;
      expect(objects).toMatchObject([{ operation: "removed", id: "VirtualService/shop/reviews" }]);
    }
  });

  test("as Markdown has tables, and escapes what users write", async () => {
    const [a, b] = [
      await folder({ "m.yaml": smallShop }),
      await folder({ "m.yaml": moved.replace("exact: jason", "exact: ja|son") }),
    ];
    const { stdout } = await runCommand(["plan", b, "--against", a, "-o", "markdown"]);
    expect(stdout).toContain("**1 of 3** proxies touched");
    expect(stdout).toContain("| `GET http://shop.example.com:8080/ end-user: ja\\|son` |");
    for (const row of stdout.split("\n").filter((line) => line.startsWith("| "))) {
      expect(row.replaceAll("\\|", "").split("|").length).toBeLessThanOrEqual(7);
    }
  });

  test("never shows the bytes of Secrets", async () => {
    const { plan } = await planned(secret("swordfish"), secret("salmon"));
    expect(plan.objects).toMatchObject([{ id: "Secret/shop/keys" }]);
    for (const word of ["swordfish", "salmon"]) {
      expect(JSON.stringify(plan)).not.toContain(word);
      expect(JSON.stringify(plan)).not.toContain(Buffer.from(`user:${word}`).toString("base64"));
    }
  });

  test("does not show a key that a route asks for", async () => {
    const keyed = smallShop.replace("  http:\n", () => {
      const match = [{ headers: { "x-api-key": { exact: "hunter22" } } }];
      return `  http:\n  - ${JSON.stringify({ match, redirect: { uri: "/keyed" } })}\n`;
    });
    const { plan } = await planned(smallShop, keyed);
    expect(plan.requests.changes.flatMap(({ headers }) => headers)).toEqual(["x-api-key: [redacted]"]);
    expect(JSON.stringify(plan)).not.toContain("hunter22");
  });

  test.each([
    { args: ["x"], words: "--against DIR or --server ADDR is missing" },
    { args: ["x", "--against", "y", "--fail-on", "rain"], words: "--fail-on: expected one of" },
    { args: ["x", "--against", "y", "--many-proxies", "most"], words: "--many-proxies: expected a number" },
    { args: ["-", "--against", "y", "--delete", "VirtualService"], words: "expected KIND/NAMESPACE/NAME" },
  ])("$args is wrong usage", async ({ args, words }) => {
    const { code, stderr } = await runCommand(["plan", ...args], { input: "" });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
  });
});

const withoutEndpoints = smallShop.replace(/ {2}endpoints:\n(?: {2}- .*\n)+/u, "");

describe("plan warns of", () => {
  test.each([
    { risk: "last-endpoint", before: smallShop, after: withoutEndpoints },
    { risk: "request-fails", before: smallShop, after: withoutEndpoints },
    {
      risk: "dangling-reference",
      before: smallShop,
      after: smallShop.replace("  - {name: v2, labels: {version: v2}}\n", ""),
    },
    { risk: "policy-widened", before: `${smallShop}---\n${policy("DENY")}`, after: smallShop },
    { risk: "policy-widened", before: `${smallShop}---\n${policy("ALLOW")}`, after: smallShop },
    {
      risk: "policy-widened",
      before: `${smallShop}---\n${object("PeerAuthentication", "default", { mtls: { mode: "STRICT" } }, "security")}`,
      after: smallShop,
    },
    { risk: "port-opened", before: smallShop, after: smallShop.replace("number: 8080", "number: 8081") },
    {
      risk: "gateway-owner",
      before: smallShop,
      after: smallShop.replace("metadata: {name: shop, namespace: shop}", "metadata: {name: other, namespace: shop}"),
    },
    { risk: "many-proxies", before: smallShop, after: withoutEndpoints },
  ] as const)("$risk", async ({ risk, before, after }) => {
    const { code, plan } = await planned(before, after, "--fail-on", risk);
    expect(plan.risks.map((each) => each.code)).toContain(risk);
    expect(code).toBe(1);
    expect((await planned(after, after, "--fail-on", risk)).code).toBe(0);
  });

  test.each([
    ["a further issuer", [{ issuer: "a.example" }], [{ issuer: "a.example" }, { issuer: "b.example" }]],
    ["any audience", [{ issuer: "a.example", audiences: ["shop"] }], [{ issuer: "a.example" }]],
    [
      "a further audience",
      [{ issuer: "a.example", audiences: ["shop"] }],
      [{ issuer: "a.example", audiences: ["shop", "bank"] }],
    ],
    ["other keys", [{ issuer: "a.example" }], [{ issuer: "a.example", jwks: keysNamed("b") }]],
    ["no token", [{ issuer: "a.example", presence: "REQUIRED" }], [{ issuer: "a.example" }]],
    ["fewer issuers", [{ issuer: "a.example" }, { issuer: "b.example" }], [{ issuer: "a.example" }]],
  ])("policy-widened if tokens count from %s", async (_, before, after) => {
    const { plan } = await planned(`${smallShop}---\n${tokens(before)}`, `${smallShop}---\n${tokens(after)}`);
    const [first, ...others] = plan.risks.filter(({ code }) => code === "policy-widened");
    expect(first?.objects).toEqual(["RequestAuthentication/shop/tokens"]);
    expect(others).toEqual([]);
  });

  test.each([
    ["DENY policy", "", policy("DENY")],
    ["rule for tokens", "", tokens([{ issuer: "a.example" }])],
    [
      "audience",
      tokens([{ issuer: "a.example", audiences: ["shop", "bank"] }]),
      tokens([{ issuer: "a.example", audiences: ["shop"] }]),
    ],
  ])("nothing if policies become narrower by one %s", async (_, before, after) => {
    const { plan } = await planned(`${smallShop}---\n${before}`, `${smallShop}---\n${after}`);
    expect(plan.proxies.touched).toBeGreaterThan(0);
    expect(plan.risks.map(({ code }) => code)).not.toContain("policy-widened");
  });

  test("a conflict that a second owner of a host begins", async () => {
    const second = smallShop.split("---").at(-1)?.replace("name: reviews,", "name: second,");
    const { code, plan } = await planned(smallShop, `${smallShop}---${second}`, "--fail-on", "conflicts");
    expect(plan.conflicts).toMatchObject([{ change: "new", winner: "VirtualService/shop/reviews" }]);
    expect(code).toBe(1);
  });
});

describe("plan of a running server", () => {
  const text = `${shopEntry("reviews")}---\n${vs("reviews.example")}`;

  async function serving() {
    const source = new YamlSource("live");
    source.apply(text);
    const server = await started(wiredServer({}, { ownSources: [source] }));
    return { source, address: server.listeners.addresses.http };
  }

  test("has an id, and writes nothing", async () => {
    const { source, address } = await serving();
    const json = ["plan", "-", "--server", address, "-o", "json"];
    const { code, stdout } = await runCommand(json, { input: vs("other.example") });
    const plan = JSON.parse(stdout) as Plan;
    expect([code, plan.proxies]).toEqual([0, { total: 0, touched: 0 }]);
    expect(plan.objects).toMatchObject([{ operation: "changed", id: "VirtualService/shop/routes" }]);
    expect(JSON.parse((await runCommand(json, { input: vs("other.example") })).stdout)).toEqual(plan);
    source.apply(vs("third.example"));
    const idLater = async () =>
      (JSON.parse((await runCommand(json, { input: vs("other.example") })).stdout) as Plan).id;
    await eventually("the plan has another id", async () => (await idLater()) !== plan.id, { seconds: 5 });
  });

  test("says what is wrong with the objects", async () => {
    const { address } = await serving();
    const deleted = await runCommand(["plan", "-", "--server", address, "--delete", "VirtualService/shop/none"], {
      input: "",
    });
    expect(deleted).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("VirtualService/shop/none is to be deleted"),
    });
    const invalid = await runCommand(["plan", "-", "--server", address], { input: vs("not a host") });
    expect([invalid.code, invalid.stdout]).toEqual([1, ""]);
    const diff = "--- a/w.yaml\n+++ b/w.yaml\n@@ -1 +1 @@\n-a: 1\n+a: 2\n";
    const refused = await runCommand(["plan", "-", "--server", address], { input: diff });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("plan it with --against DIR") });
  });

  test("names the files of objects and of their problems", async () => {
    const { address } = await serving();
    const good = await folder({ "a.yaml": shopEntry("new"), "b.yaml": `\n${vs("other.example")}` });
    const { stdout } = await runCommand(["plan", good, "--server", address, "-o", "json"]);
    const references = (JSON.parse(stdout) as Plan).objects.map(({ reference }) => reference);
    expect(references.toSorted()).toEqual([`${good}/a.yaml:2`, `${good}/b.yaml:2`]);
    const bad = await folder({ "a.yaml": shopEntry("new"), "b.yaml": `\n${vs("not a host")}` });
    const { code, stderr } = await runCommand(["plan", bad, "--server", address]);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^${bad}/b\\.yaml:\\d: error: `, "mu"));
  });

  test("is what apply --plan compares with, before it opens the store", async () => {
    const { source, address } = await serving();
    const folderOf = await folder({ "routes.yaml": vs("other.example") });
    const { stdout } = await runCommand(["plan", folderOf, "--server", address, "-o", "json"]);
    const { id } = JSON.parse(stdout) as Plan;
    const store = ["--store", "etcd://127.0.0.1:1/mesh", "--plan", id, "--server", address];
    const same = await runCommand(["apply", folderOf, ...store]);
    expect(same.stderr).not.toContain("plan again");
    source.apply(shopEntry("new"));
    const moved = async () => (await runCommand(["apply", folderOf, ...store])).stderr.includes("plan again");
    await eventually("the plan is refused", moved, { seconds: 5 });
    const other = await folder({ "routes.yaml": vs("another.example") });
    expect(await runCommand(["apply", other, ...store])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the objects or the mesh have changed; plan again"),
    });
  });
});
