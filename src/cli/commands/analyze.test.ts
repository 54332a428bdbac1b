import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { MessageJson } from "../../config/analysis/message.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { TempTree } from "../../testing/temp-tree.ts";

const bookinfo = join(import.meta.dirname, "../../../examples/bookinfo");

const route = `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: web, namespace: shop }
spec:
  hosts: [web.com]
  gateways: [main]
  http:
    - route:
        - destination: { host: pages }
`;
const gateway = `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: main, namespace: shop }
spec:
  selector: { istio: ingressgateway }
  servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: [other.com] }]
`;
const namespace = "{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }";

describe("analyze", () => {
  let tree: TempTree;
  let mesh: string;

  beforeEach(async () => {
    tree = await TempTree.create();
    mesh = tree.path("mesh");
    await tree.write("mesh/route.yaml", route);
    await tree.write("mesh/gateway.yaml", gateway);
    await tree.write("mesh/namespace.yaml", namespace);
  });

  afterEach(async () => await tree.close());

  async function codes(...args: readonly string[]): Promise<readonly string[]> {
    const { stdout } = await runCommand(["analyze", mesh, "-o", "json", ...args]);
    return (JSON.parse(stdout) as readonly MessageJson[]).map(({ code }) => code);
  }

  test("prints nothing on stdout for a valid directory", async () => {
    const { code, stdout, stderr } = await runCommand(["analyze", bookinfo]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/^\d+ analyzers skipped [^\n]{1,60}\n\d+ objects, no findings$/u);
  });

  test("lists the skipped analyzers on request, each with its missing kinds", async () => {
    const { stderr } = await runCommand(["analyze", bookinfo, "--verbose"]);
    const [head = "", ...lines] = stderr.split("\n");
    expect(lines.filter((line) => /^ {2}[\w.-]+: no \w+/u.test(line))).toHaveLength(Number.parseInt(head, 10));
  });

  test("shows each finding with its place and its underlined line, and the counts", async () => {
    const { code, stdout, stderr } = await runCommand(["analyze", mesh]);
    expect(code).toBe(1);
    const [first, ...lines] = stdout.split("\n");
    expect(first).toBe(
      `${join(mesh, "route.yaml")}:9:26: error IST0101 VirtualService shop/web: the host "pages" was not found`,
    );
    expect(lines.slice(0, 2)).toEqual([
      "    9 |         - destination: { host: pages }",
      "      |                          ^^^^^^^^^^^",
    ]);
    expect(stdout).toMatch(/route\.yaml:6:14: warning IST0132 VirtualService shop\/web: .*\n.*\n.*\^\^\^\^\n/u);
    expect(stderr).toBe("3 objects, 1 error, 1 warning and 1 info");
  });

  test("prints the JSON of istioctl, and the same data as YAML", async () => {
    const json = await runCommand(["analyze", mesh, "-o", "json"]);
    const printed = JSON.parse(json.stdout) as unknown;
    expect(printed).toContainEqual({
      code: "IST0132",
      level: "Warning",
      origin: "VirtualService shop/web",
      message: "the gateway shop/main serves none of the hosts web.com",
      reference: `${join(mesh, "route.yaml")}:6`,
      documentationUrl: "https://istio.io/latest/docs/reference/config/analysis/ist0132/",
    });
    expect(json.stderr).toBe("");
    expect(parse((await runCommand(["analyze", mesh, "-o", "yaml"])).stdout)).toEqual(printed);
  });

  test("prints SARIF in which every result refers to its rule", async () => {
    const { stdout } = await runCommand(["analyze", mesh, "-o", "sarif"]);
    expect(JSON.parse(stdout)).toMatchObject({
      version: "2.1.0",
      runs: [{ results: [{ ruleId: "IST0101", ruleIndex: 0 }, { ruleId: "IST0132" }, { ruleId: "IST0102" }] }],
    });
  });

  test("includes validation errors, and analyzes the rejected object too", async () => {
    await tree.write("mesh/gateway.yaml", gateway.replace("number: 80", "number: 80000"));
    expect(await codes()).toEqual(["IST0101", "IST0106", "IST0132", "IST0162", "IST0102"]);
  });

  test.each([
    [["--failure-threshold", "Error"], 1],
    [["--failure-threshold", "warn", "--suppress", "IST0101=VirtualService *"], 1],
    [["--suppress", "IST0101=VirtualService shop/*"], 0],
    [["--failure-threshold", "info", "--suppress", "IST0101=*", "--suppress", "IST0132=*"], 1],
  ] as const)("%j ends with %i", async (args, code) => {
    expect((await runCommand(["analyze", mesh, ...args])).code).toBe(code);
  });

  test("shows findings from --output-threshold on, and the exit code counts all findings", async () => {
    expect(await codes("--output-threshold", "Error")).toEqual(["IST0101"]);
    const hidden = ["--output-threshold", "Error", "--failure-threshold", "Warning", "--suppress", "IST0101=*"];
    expect((await runCommand(["analyze", mesh, ...hidden])).code).toBe(1);
  });

  test("omits findings that the object suppresses by annotation", async () => {
    const annotations = 'annotations: { galley.istio.io/analyze-suppress: "IST0132" }';
    await tree.write("mesh/route.yaml", route.replace("namespace: shop", `namespace: shop, ${annotations}`));
    expect(await codes()).toEqual(["IST0101", "IST0102"]);
  });

  test("shows one namespace, and assigns objects without a namespace to it", async () => {
    await tree.write("mesh/other.yaml", route.replace("name: web, namespace: shop", "name: other"));
    expect(await codes("-n", "shop")).toHaveLength(5);
    expect(await codes("-n", "elsewhere")).toEqual(["IST0101", "IST0101", "IST0132", "IST0102"]);
    expect(await codes("-n", "elsewhere", "-A")).toHaveLength(6);
  });

  test("reads objects from stdin", async () => {
    const { stdout } = await runCommand(["analyze", "-"], { input: route });
    expect(stdout).toMatch(/^<stdin>:6:14: error IST0101 /u);
  });

  test("uses the MeshConfig", async () => {
    await tree.write("mesh/gateway.yaml", gateway.replace("other.com", "web.com"));
    const settings = tree.path("mesh.yaml");
    await tree.write("mesh.yaml", "ingressControllerMode: OFF");
    expect(await codes()).not.toContain("IST0162");
    const { stdout } = await runCommand(["analyze", mesh, "--mesh", settings]);
    expect(stdout).toMatch(/IST0101 Gateway shop\/main: the selector "istio=ingressgateway" was not found/u);
  });

  test("reports the unknown API version of an object", async () => {
    await tree.write("mesh/gateway.yaml", gateway.replace("networking.istio.io/v1", "networking.istio.io/v9"));
    for (const path of [mesh, tree.path("mesh/gateway.yaml")]) {
      const { code, stdout } = await runCommand(["analyze", path]);
      expect(code).toBe(1);
      expect(stdout).toMatch(/IST0106 Gateway shop\/main: apiVersion: Gateway has no version "v9"/u);
    }
  });

  test("uses the MeshNetworks, and shows their lines", async () => {
    await tree.write("mesh/gateway.yaml", gateway);
    const networks = tree.path("networks.yaml");
    await tree.write("networks.yaml", "networks:\n  east:\n    endpoints:\n      - fromRegistry: elsewhere\n");
    const { stdout } = await runCommand(["analyze", mesh, "--networks", networks, "-o", "json"]);
    const found = JSON.parse(stdout) as readonly { readonly code: string; readonly reference: string }[];
    const references = found.filter(({ code }) => code === "IST0126").map(({ reference }) => reference);
    expect(references).toEqual([`${networks}:4`]);
  });

  test("lists all analyzers", async () => {
    const { code, stdout } = await runCommand(["analyze", "--list-analyzers"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^virtualservice\.GatewayAnalyzer +\S/mu);
    expect(stdout).toMatch(/^schema\.ValidationAnalyzer +\S/mu);
  });

  test("uses colours on a terminal", async () => {
    expect((await runCommand(["analyze", mesh], { coloured: true })).stdout).toContain("\u001B[31merror\u001B[39m");
  });

  test.each([
    [[], /expected DIR…, FILE… or kube:, found none/u],
    [["mesh", "--server", "127.0.0.1:8080"], /--server: not together with mesh/u],
    [["mesh", "--failure-threshold", "bad"], /--failure-threshold: expected Error, Warning or Info/u],
    [["mesh", "--suppress", "IST0101"], /--suppress: expected CODE=OBJECT/u],
    [["mesh", "-o", "xml"], /--output: expected text, json, yaml or sarif/u],
  ])("%j is wrong usage", async (args, message) => {
    expect(await runCommand(["analyze", ...args])).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });

  test("rejects a missing path and an unknown code", async () => {
    expect((await runCommand(["analyze", join(mesh, "gone")])).stderr).toMatch(/there is no such file or directory/u);
    const { stderr } = await runCommand(["analyze", mesh, "-o", "json", "--suppress", "IST9999=*"]);
    expect(stderr).toBe("--suppress: there is no code IST9999");
  });
});
