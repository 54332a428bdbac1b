import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { nameTableType } from "../../pilot/xds/generators/name-tables.ts";
import { proxyConfigType } from "../../pilot/xds/generators/trust-bundle.ts";
import { createGenerators } from "../../pilot/xds/generators.ts";
import { smallShop } from "../../testing/mesh/small-shop.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { secretType, virtualHostType } from "../../xds/type-urls.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";

const malformed = join(import.meta.dirname, "../../../test/scenarios/malformed");
const gateway = ["--node", "router~gw-0.istio-system"];

const plugin = `---
apiVersion: extensions.istio.io/v1alpha1
kind: WasmPlugin
metadata: { name: guard, namespace: istio-system }
spec: { url: "file:///guard.wasm" }
`;

function translateShop(...args: readonly string[]) {
  return runCommand(["translate", "-", ...args], { input: smallShop });
}

describe("translate", () => {
  test("prints the tables of proxy-config as text, with all columns as wide text", async () => {
    const text = await translateShop(...gateway, "-o", "text");
    expect([text.code, text.stderr]).toEqual([0, ""]);
    expect(text.stdout.split("\n\n").map((table) => table.split(" ", 1)[0])).toEqual([
      "SERVICE",
      "ADDRESS",
      "NAME",
      "ENDPOINT",
      "ECDS",
    ]);
    const routes = await translateShop(...gateway, "--type", "route", "-o", "wide");
    expect(routes.stdout).toMatch(/^NAME .* ACTION$/mu);
    expect(routes.stdout).toContain("80 % outbound|9080|v1|reviews.shop.svc.cluster.local, 20 %");
  });

  test("prints the resources of a gateway by type, with every Any decoded", async () => {
    const { code, stdout, stderr } = await translateShop(...gateway);
    expect([code, stderr]).toEqual([0, ""]);
    const sent = JSON.parse(stdout);
    expect(Object.keys(sent)).toEqual(["clusters", "endpoints", "extensions", "listeners", "routes"]);
    expect(sent.clusters.map(({ name }: { name: string }) => name)).toContain(
      "outbound|9080|v2|reviews.shop.svc.cluster.local",
    );
    expect(sent.listeners).toMatchObject([
      {
        name: "0.0.0.0_8080",
        filter_chains: [{ filters: [{ typed_config: { "@type": expect.stringContaining("HttpConnectionManager") } }] }],
      },
    ]);
    expect(sent.listeners[0]).not.toHaveProperty("@type");
  });

  test.each([
    [gateway],
    [["--node", "sidecar~web-0.shop"]],
    [["--node", "sidecar~web-0.shop", "--meta", "INTERCEPTION_MODE=REDIRECT", "--meta", "SDS_MODE=agent"]],
    [["--node", "sidecar~web-0.shop", "--meta", "GENERATOR=grpc"]],
  ])("decodes every Any for %j", async (node) => {
    const { code, stdout } = await translateShop(...node);
    expect(code).toBe(0);
    expect(stdout).not.toContain('"unreadable"');
  });

  test.each(proxyResourceTypes)("--type $name prints only $plural", async ({ name, plural }) => {
    const args = ["translate", "-", ...gateway, "--type", name, "-o", "yaml"];
    const { stdout } = await runCommand(args, { input: `${smallShop}${plugin}` });
    const sent = parse(stdout);
    expect(Object.keys(sent)).toEqual([plural]);
    expect(sent[plural]).not.toEqual([]);
  });

  test("has a name for every generated type, except virtual hosts, secrets, NDS and PCDS", () => {
    const generated = createGenerators({ writer: new ProtoWriter() }).map(({ typeUrl }) => typeUrl);
    const left = [virtualHostType, secretType, nameTableType, proxyConfigType];
    expect(generated.filter((typeUrl) => left.includes(typeUrl))).toEqual(left);
    const named = generated.filter((typeUrl) => !left.includes(typeUrl));
    expect(named).toEqual(proxyResourceTypes.map(({ typeUrl }) => typeUrl));
  });

  test("selects Gateways by the labels of the proxy", async () => {
    const stranger = await translateShop("--node", "router~edge-0.istio-system");
    expect(stranger).toMatchObject({ code: 0, stderr: "no listeners: no Gateway selects app=edge" });
    expect(JSON.parse(stranger.stdout).listeners).toEqual([]);
    const labelled = await translateShop("--node", "router~edge-0.x", "--label", "app=gw");
    expect(JSON.parse(labelled.stdout).listeners).toHaveLength(1);
  });

  test("prints resources of valid objects, and reports invalid objects", async () => {
    const { code, stdout, stderr } = await runCommand(["translate", malformed, ...gateway, "--type", "cluster"]);
    expect(code).toBe(1);
    const { clusters } = JSON.parse(stdout);
    expect(JSON.stringify(clusters)).toContain("outbound|80||before.example.com");
    expect(stderr).toContain("05-unknown-field.yaml:20:3: error unknown-field");
    expect(stderr).toMatch(/\n\d+ errors and \d+ warnings$/u);
  });

  test("prints the named resources of a gRPC client", async () => {
    const { stdout } = await translateShop("--node", "sidecar~client-0.shop", "--meta", "GENERATOR=grpc");
    const { listeners, routes } = JSON.parse(stdout);
    expect(listeners).toMatchObject([{ name: "reviews.shop.svc.cluster.local:9080", api_listener: {} }]);
    expect(routes).toMatchObject([{ name: "outbound|9080||reviews.shop.svc.cluster.local" }]);
  });

  test.each([
    [[...gateway], "expected DIR…, found none"],
    [["mesh"], "--node is missing: name a proxy, such as router~gw-0.istio-system"],
    [
      ["mesh", ...gateway, "--type", "clusters"],
      '--type: expected cluster, endpoint, ecds, listener, route or all, found "clusters"',
    ],
    [["mesh", ...gateway, "-o", "table"], '--output: expected json, yaml, text or wide, found "table"'],
  ])("%j is wrong usage", async (args, sentence) => {
    expect(await runCommand(["translate", ...args])).toEqual({
      code: 2,
      stdout: "",
      stderr: `binnacle translate: ${sentence}`,
    });
  });
});
