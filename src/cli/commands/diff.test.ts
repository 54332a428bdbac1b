import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";
import { YamlSource } from "../../testing/galley/yaml-source.ts";
import { rawClient, shopEntry, started, wiredServer } from "../../testing/server/wired-server.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { clusterType } from "../../xds/type-urls.ts";

const routes = (weight: number) => `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: reviews, namespace: shop }
spec:
  hosts: [reviews.example]
  http:
    - route:
        - { destination: { host: reviews.example, subset: v1 }, weight: ${weight} }
        - { destination: { host: reviews.example, subset: v2 }, weight: ${100 - weight} }
`;
/** A pull secret whose password is this content. */
const secret = (content: string) => `apiVersion: v1
kind: Secret
metadata: { name: keys, namespace: shop, annotations: { last: ${content} } }
type: kubernetes.io/dockerconfigjson
stringData: { .dockerconfigjson: '{"auths":{"images.example":{"auth":"${Buffer.from(`user:${content}`).toString("base64")}"}}}' }
`;

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  for (const [path, text] of Object.entries(files)) await tree.write(path, text);
  return tree.directory;
}

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(["diff", ...args, "-o", "json"]);
  const printed = JSON.parse(stdout) as Readonly<Record<"a" | "b" | "objects" | "resources", unknown>>;
  return { code, stderr, ...printed };
}

describe("diff of two directories", () => {
  test("is empty and ends with 0 if only order, spelling and places differ", async () => {
    const a = await folder({ "a.yaml": `${shopEntry("reviews")}---\n${routes(90)}` });
    const b = await folder({
      "x/routes.yaml": `# moved\n\n${routes(90)}`,
      "z.yaml": shopEntry("reviews"),
    });
    expect(await runCommand(["diff", a, b])).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("no difference"),
    });
    expect(await json(a, b)).toMatchObject({ code: 0, a, b, objects: [], resources: [] });
  });

  test("names added, removed and changed objects with their fields, and ends with 1", async () => {
    const a = await folder({ "routes.yaml": routes(90), "old.yaml": shopEntry("old") });
    const b = await folder({ "routes.yaml": routes(10), "new.yaml": shopEntry("new") });
    const { code, stdout, stderr } = await runCommand(["diff", a, b]);
    expect([code, stderr]).toEqual([1, "1 added, 1 removed, 1 changed"]);
    expect(stdout.replaceAll(a, "A").replaceAll(b, "B").split("\n")).toEqual([
      "added   ServiceEntry shop/new (B/new.yaml:2)",
      "removed ServiceEntry shop/old (A/old.yaml:2)",
      "changed VirtualService shop/reviews (B/routes.yaml:1)",
      "  - spec.http[0].route[0].weight: 90",
      "  + spec.http[0].route[0].weight: 10",
      "  - spec.http[0].route[1].weight: 10",
      "  + spec.http[0].route[1].weight: 90",
    ]);
  });

  test("has colours on a terminal only", async () => {
    const [a, b] = [await folder({ "a.yaml": routes(90) }), await folder({ "a.yaml": routes(10) })];
    expect((await runCommand(["diff", a, b], { coloured: true })).stdout).toContain("\u001B[31m");
    expect((await runCommand(["diff", a, b])).stdout).not.toContain("\u001B");
  });

  test("says that a Secret changed, and shows none of it", async () => {
    const [a, b] = [await folder({ "a.yaml": secret("first") }), await folder({ "a.yaml": secret("second") })];
    const { code, stdout } = await runCommand(["diff", a, b, "-o", "yaml"]);
    expect(code).toBe(1);
    expect(stdout).toContain("name: Secret shop/keys");
    expect(stdout).toContain("[redacted]");
    expect(stdout).not.toMatch(/first|second/u);
    expect((await runCommand(["diff", a, a])).code).toBe(0);
  });

  test("with --node also shows the resources of a proxy", async () => {
    const a = await folder({ "a.yaml": shopEntry("reviews", "10.0.0.1") });
    const b = await folder({ "a.yaml": shopEntry("reviews", "10.0.0.2") });
    const { code, objects, resources } = await json(a, b, "--node", "sidecar~web-0.shop");
    expect([code, objects]).toMatchObject([1, [{ operation: "changed", name: "ServiceEntry shop/reviews" }]]);
    expect(resources).toEqual([
      {
        operation: "changed",
        name: "endpoint outbound|80||reviews.example",
        reference: expect.stringMatching(/a\.yaml:2$/u),
        fields: [
          {
            path: "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address",
            before: "10.0.0.1",
            after: "10.0.0.2",
          },
        ],
      },
    ]);
  });

  test("ends with 1 if a side has errors, although the valid objects are equal", async () => {
    const a = await folder({ "a.yaml": shopEntry("reviews") });
    const b = await folder({ "a.yaml": shopEntry("reviews"), "broken.yaml": "kind: [" });
    const { code, stdout, stderr } = await runCommand(["diff", a, b]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("broken.yaml:1");
  });

  test.each([
    [["one"], /expected A and B/u],
    [["one", "two", "three"], /expected A and B/u],
    [["proxy:", "proxy:b"], /proxy: without a NODE/u],
    [["proxy:a", "mesh"], /a proxy is compared with another proxy/u],
    [["proxy:a", "proxy:b", "--node", "sidecar~a.b"], /--node: not with two proxies/u],
    [["-", "-"], /only one side can be stdin/u],
    [["a", "b", "-o", "wide"], /--output: expected text, json or yaml/u],
  ])("%j is wrong usage", async (args, message) => {
    const { code, stdout, stderr } = await runCommand(["diff", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});

async function serving() {
  const source = new YamlSource("live");
  source.apply(`${shopEntry("reviews")}---\n${routes(90)}`);
  const server = await started(wiredServer({}, { ownSources: [source] }));
  return { server, address: server.listeners.addresses.http };
}

describe("diff of a live server", () => {
  test("compares the objects in use with a directory", async () => {
    const { address } = await serving();
    const same = await folder({ "a.yaml": shopEntry("reviews"), "b.yaml": routes(90) });
    expect(await json(`server:${address}`, same)).toMatchObject({ code: 0, objects: [] });
    const other = await folder({ "a.yaml": shopEntry("reviews"), "b.yaml": routes(80) });
    expect(await json("server:", other, "--server", address)).toMatchObject({
      code: 1,
      objects: [{ operation: "changed", name: "VirtualService shop/reviews", fields: [{ before: 90, after: 80 }, {}] }],
    });
  });

  test("compares two proxies, and a proxy with the resources from files", async () => {
    const { server, address } = await serving();
    for (const [name, namespace] of [
      ["web-0", "shop"],
      ["web-1", "shop"],
    ] as const) {
      const id = `sidecar~10.0.0.9~${name}.${namespace}~${namespace}.svc.cluster.local`;
      rawClient(server.discovery).ask(clusterType, { id, metadata: { LABELS: { app: "web" } } });
    }
    await server.discovery.idle();
    expect(await json("proxy:web-0.shop", "proxy:web-1.shop", "--server", address)).toMatchObject({
      code: 0,
      resources: [],
    });
    const lost = await runCommand(["diff", "proxy:web-0.shop", "proxy:web-7.shop", "--server", address]);
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("web-7.shop is not connected") });
    const mesh = await folder({ "a.yaml": shopEntry("reviews"), "b.yaml": routes(90) });
    const node = ["--node", "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local"];
    const { resources } = await json(`server:${address}`, mesh, ...node);
    // The client asked for clusters alone.
    expect((resources as { name: string }[]).filter(({ name }) => name.startsWith("cluster "))).toEqual([]);
  });
});
