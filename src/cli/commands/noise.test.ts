import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { largest } from "../../lib/extremes.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { TempTree } from "../../testing/temp-tree.ts";

function object(apiVersion: string, kind: string, name: string): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: ${name}, namespace: shop }\n---\n`;
}

const entry = `${object("networking.istio.io/v1", "ServiceEntry", "ratings").replace("---\n", "")}spec:
  hosts: [ratings.example]
  ports: [{ number: 80, name: http, protocol: HTTP }]
  resolution: DNS
`;

/** Objects of a rendered application chart besides its routes. */
const application = [
  object("v1", "ServiceAccount", "a"),
  object("v1", "ServiceAccount", "b"),
  object("v1", "PersistentVolumeClaim", "a"),
  object("rbac.authorization.k8s.io/v1", "Role", "a"),
  object("rbac.authorization.k8s.io/v1", "RoleBinding", "a"),
  object("rbac.authorization.k8s.io/v1", "ClusterRole", "a"),
  object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "a"),
  object("autoscaling/v2", "HorizontalPodAutoscaler", "a"),
  object("policy/v1", "PodDisruptionBudget", "a"),
  object("batch/v1", "Job", "a"),
  object("cert-manager.io/v1", "Certificate", "a"),
];

const summary =
  "11 objects of 10 kinds that are not mesh configuration: ServiceAccount (2), PersistentVolumeClaim (1), Role (1), " +
  "RoleBinding (1), ClusterRole (1), ClusterRoleBinding (1), HorizontalPodAutoscaler (1), PodDisruptionBudget (1) and " +
  "2 more";

const maxLine = 2_000;

describe("noise", () => {
  let tree: TempTree;
  beforeEach(async () => {
    tree = await TempTree.create();
  });
  afterEach(() => tree.close());

  test.each(["validate", "analyze"])("%s lists unused kinds in one line", async (command) => {
    await tree.write("a.yaml", application.slice(0, 5).join(""));
    await tree.write("b.yaml", application.slice(5).join(""));
    await tree.write("c.yaml", entry);
    const { code, stdout, stderr } = await runCommand([command, tree.directory]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr.split("\n").filter((line) => line.includes("ServiceAccount"))).toEqual([summary]);
    expect(stderr).toMatch(/no (issues|findings)$/u);
    const json = await runCommand([command, tree.directory, "-o", "json"]);
    expect(json).toEqual({ code: 0, stdout: "[]", stderr: summary });
  });

  test.each([
    ["v1", "PodTemplate"],
    ["v1", "LimitRange"],
    ["networking.k8s.io/v1", "NetworkPolicy"],
    ["apps/v1", "StatefulSet"],
    ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"],
    ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"],
    ["admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy"],
  ])("an unread kind of Kubernetes is no misspelling: %s %s", async (apiVersion, kind) => {
    const { code, stdout, stderr } = await runCommand(["validate", "-"], {
      input: entry + "---\n" + object(apiVersion, kind, "a"),
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain(`1 object of 1 kind that is not mesh configuration: ${kind} (1)`);
  });

  test("objects of the Gateway API give one warning, also in analyze", async () => {
    const routes = ["a", "b", "c"].map((name) => object("gateway.networking.k8s.io/v1", "HTTPRoute", name));
    await tree.write("gateway.yaml", object("gateway.networking.k8s.io/v1", "Gateway", "main"));
    await tree.write("routes.yaml", routes.join(""));
    const sentence =
      "the Gateway API (gateway.networking.k8s.io) is not supported here: 4 objects without effect: HTTPRoute (3), Gateway (1)";
    const validated = await runCommand(["validate", tree.directory]);
    expect(validated.stdout.split("\n")[0]).toBe(
      `${tree.path("gateway.yaml")}:2:1: warning unsupported-kind: ${sentence}`,
    );
    expect(validated).toMatchObject({ code: 0, stderr: expect.stringMatching(/1 warning$/u) });
    const analyzed = await runCommand(["analyze", tree.directory]);
    expect(analyzed.stdout.split(sentence)).toHaveLength(2);
    expect(analyzed.stdout).toContain(": warning ");
  });

  test.each([
    ["bytes", Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * 7919) % 256))],
    ["bytes without a zero", Buffer.from(Array.from({ length: 9_000 }, (_, index) => 1 + ((index * 7919) % 255)))],
    ["UTF-16", Buffer.from(`\uFEFF${entry}`, "utf16le")],
  ])("a binary file gives one error: %s", async (_, bytes) => {
    await writeFile(tree.path("image.yaml"), bytes);
    for (const path of [tree.directory, tree.path("image.yaml")]) {
      const { code, stdout, stderr } = await runCommand(["validate", path]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: "0 valid objects, 1 error" });
      expect(stdout).toMatch(/^\S+image\.yaml:1:1: error binary-file: [^\n]*\n {6}hint: [^\n]*$/u);
    }
  });

  test("output lines stay short for long names, values and lines", async () => {
    const long = "x".repeat(20_000);
    await tree.write("name.yaml", entry.replace("name: ratings", `name: ${long}`));
    await tree.write("value.yaml", entry.replace("DNS", long).replace("name: ratings", "name: b"));
    await tree.write("field.yaml", entry.replace("resolution", long).replace("name: ratings", "name: c"));
    await tree.write("kind.yaml", entry.replace("ServiceEntry", long).replace("name: ratings", "name: d"));
    await tree.write("version.yaml", entry.replace("/v1", `/${long}`).replace("name: ratings", "name: e"));
    await tree.write("other.yaml", object(`example.com/${long}`, long, long));
    await tree.write("syntax.yaml", `a: [${long}\nb: "${long}`);
    await tree.write(
      "host.yaml",
      entry.replace("ratings.example", `${long}.example`).replace("name: ratings", "name: f"),
    );
    await tree.write(`good.yaml`, entry);
    const node = ["--from", "sidecar~a.shop", "http://ratings.example/"];
    for (const args of [
      ["validate", tree.directory],
      ["analyze", tree.directory],
      ["explain", tree.directory, ...node],
      ["explain", tree.directory, ...node, "-H", `a: ${long}`],
      ["apply", tree.directory, "--store", "etcd://127.0.0.1:1/mesh"],
      ["validate", long],
      [long],
      ["validate", `--${long}`],
      ["proxy-status", "--server", long],
      ["get", long, "--store", "etcd://127.0.0.1:1/mesh"],
    ]) {
      const { stdout, stderr } = await runCommand(args);
      const longest = largest(`${stdout}\n${stderr}`.split("\n").map((line) => line.length));
      expect({ args: args.map((arg) => arg.slice(0, 20)), isLong: longest > maxLine }).toMatchObject({ isLong: false });
    }
  });
});

describe("templates", () => {
  let tree: TempTree;
  beforeEach(async () => {
    tree = await TempTree.create();
  });
  afterEach(() => tree.close());

  const template = `{{- if .Values.enabled }}
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata:
  name: {{ include "shop.fullname" . }}
  labels:
    {{- include "shop.labels" . | nindent 4 }}
spec:
  hosts:
    {{- range .Values.hosts }}
    - {{ . | quote }}
    {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
{{- end }}
`;

  test("a Helm chart gives one error that says how to render it", async () => {
    await tree.write("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    await tree.write("shop/values.yaml", "enabled: true\n");
    await tree.write("shop/templates/a.yaml", template);
    await tree.write("shop/templates/b.yaml", template);
    await tree.write("mesh.yaml", entry);
    for (const directory of [tree.directory, tree.path("shop")]) {
      const { code, stdout, stderr } = await runCommand(["validate", directory]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/valid objects?, 1 error$/u) });
      expect(stdout).toMatch(
        /^\S+shop\/Chart\.yaml:1:1: error template: this directory is a Helm chart.*hint: render it, for example with `helm template/su,
      );
    }
  });

  test("templates outside a chart give one error together", async () => {
    await tree.write("a.yaml", template);
    await tree.write("b.yaml", template);
    await tree.write("c.yaml", `# {{ not an action }}\n${entry}`);
    const { code, stdout, stderr } = await runCommand(["validate", tree.directory]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "1 valid object, 1 error" });
    expect(stdout).toMatch(/^\S+a\.yaml:1:1: error template: this is a template, .*; so is 1 other\n/u);
    expect(await runCommand(["validate", tree.path("a.yaml")])).toMatchObject({ code: 1 });
  });

  test("YAML errors near template text are reported unchanged", async () => {
    await tree.write("a.yaml", `# rendered from {{ .Values.host }}\n${entry.replace("hosts", "hots")}`);
    await tree.write(
      "b.yaml",
      entry.replace("name: ratings", 'name: b, annotations: { note: "a {{ mustache }}" }').replace("hosts", "hots"),
    );
    const { stdout } = await runCommand(["validate", tree.directory]);
    expect(stdout).not.toContain("error template");
    expect(stdout.match(/error unknown-field/gu)).toHaveLength(2);
  });
});
