import { expect, onTestFinished, test } from "vitest";
import { parseOnly } from "../../config/yaml/yaml.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { TempTree } from "../../testing/temp-tree.ts";

const service = "# The shop's front.\napiVersion: v1\nkind: Service\nmetadata: {name: web}   # kept as it is";
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: shop/web}]}}}`;
const host = deployment.replace("spec: {containers", "spec: {hostNetwork: true, containers");

async function files(content: Readonly<Record<string, string>>): Promise<TempTree> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  for (const [name, text] of Object.entries(content)) await tree.write(name, text);
  return tree;
}

test("workloads get a proxy, and other documents stay as they are written", async () => {
  const input = `${service}\n---\n${deployment}\n`;
  const { code, stdout, stderr } = await runCommand(["inject", "-f", "-"], { input });
  expect([code, stderr]).toEqual([0, ""]);
  const [first, second = ""] = stdout.split("\n---\n");
  expect(first).toBe(service);
  expect(second).toMatch(/- name: istio-proxy\n +image: istio\/proxyv2:1\.29\.6/u);
});

test("-o json prints one list of all documents, with the same proxies", async () => {
  const input = `${service}\n---\n${deployment}\n`;
  const { code, stdout } = await runCommand(["inject", "-f", "-", "-o", "json"], { input });
  const { kind, items } = JSON.parse(stdout) as { readonly kind: string; readonly items: readonly object[] };
  expect([code, kind]).toEqual([0, "List"]);
  expect(items).toMatchObject([{ kind: "Service" }, { kind: "Deployment" }]);
  const yaml = (await runCommand(["inject", "-f", "-"], { input: deployment })).stdout;
  expect(items[1]).toEqual(parseOnly(yaml, "stdout"));
});

test("injecting the output again prints the same", async () => {
  const { stdout } = await runCommand(["inject", "-f", "-"], { input: deployment });
  expect((await runCommand(["inject", "-"], { input: stdout })).stdout).toBe(stdout);
});

test.each([
  [["--image", "corp/proxy:1"], "image: corp/proxy:1"],
  [["--revision", "canary"], "istiod-canary.istio-system.svc:15012"],
  [["--discovery-address", "b:1"], "value: b:1"],
  [["--native"], "restartPolicy: Always"],
  [["--cni"], "istio-validation"],
  [["--namespace", "shop"], "namespaces/shop/deployments/web"],
])("the flags %j give %s", async (args, expected) => {
  const { stdout } = await runCommand(["inject", "-f", "-", ...args], { input: deployment });
  expect(stdout).toContain(expected);
});

test("values and a MeshConfig come from files", async () => {
  const tree = await files({
    "values.yaml": "global: {hub: corp, tag: '7'}",
    "mesh.yaml": "trustDomain: corp.example",
  });
  const args = ["--values", tree.path("values.yaml"), "--mesh", tree.path("mesh.yaml")];
  const { stdout } = await runCommand(["inject", "-f", "-", ...args], { input: deployment });
  expect(stdout).toContain("image: corp/proxyv2:7");
  expect(stdout).toContain("value: corp.example");
});

test("a workload in the network of its node stays, with a reason", async () => {
  const { code, stdout, stderr } = await runCommand(["inject", "-f", "-"], { input: host });
  expect([code, stdout]).toEqual([0, host]);
  expect(stderr).toContain("Deployment default/web is not injected: it uses the network of its node");
});

test("a mistake prints no objects, and gives the place", async () => {
  const bad = deployment.replace("template: {", "template: {metadata: {annotations: {inject.istio.io/templates: x}}, ");
  const { code, stdout, stderr } = await runCommand(["inject", "-f", "-"], { input: `${deployment}\n---\n${bad}` });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /:6: Deployment default\/web cannot be injected: annotation inject\.istio\.io\/templates: there is no template "x"/u,
  );
});

test("a document that is no YAML prints no objects", async () => {
  const { code, stdout } = await runCommand(["inject", "-f", "-"], { input: "a: [" });
  expect([code, stdout]).toEqual([1, ""]);
});

test("wrong values are wrong usage", async () => {
  const tree = await files({ "values.yaml": "global: {proxy: {imagee: x}}" });
  const { code, stderr } = await runCommand(["inject", "-f", "-", "--values", tree.path("values.yaml")]);
  expect(code).toBe(2);
  expect(stderr).toContain("global.proxy.imagee: there is no such field; did you mean image?");
});
