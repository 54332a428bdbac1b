import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForAnalysis } from "../../src/app/offline/read-for-analysis.ts";
import { readMesh } from "../../src/app/offline/read-mesh.ts";
import { readSimulatedRequest } from "../../src/explain/read-simulated-request.ts";
import { dumpFor, readDump } from "../../src/cli/mesh/proxy-dump.ts";
import { analyze } from "../../src/config/analysis/analyze.ts";
import { analyzers } from "../../src/config/analysis/analyzers.ts";
import { messageLocation } from "../../src/config/analysis/message.ts";
import { explain } from "../../src/explain/explain.ts";
import type { RequestOutcome } from "../../src/explain/explanation.ts";
import { proxyWithName } from "../../src/testing/model/proxy-with-name.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { type Dangling, danglings } from "./dangling/references.ts";

const mesh = { file: "mesh.yaml", text: readFileSync(join(import.meta.dirname, "dangling/mesh.yaml"), "utf8") };
const sidecar = "sidecar~10.0.0.9~app-0.default~default.svc.cluster.local";
const proxies = {
  sidecar: proxyWithName(sidecar, { NAMESPACE: "default", LABELS: { app: "app" } }),
  router: proxyWithName("router~10.0.0.8~gw-0.istio-system~istio-system.svc.cluster.local", {
    NAMESPACE: "istio-system",
    LABELS: { app: "gw" },
  }),
  grpc: proxyWithName(sidecar, { NAMESPACE: "default", GENERATOR: "grpc" }),
};

let tree: TempTree;
beforeAll(async () => {
  tree = await TempTree.create();
  await tree.write("networks.yaml", "networks: { here: { endpoints: [{ fromRegistry: Kubernetes }] } }");
});
afterAll(() => tree.close());

/** The mesh with what dangles, as commands are given it. */
async function optionsFor({ text, settings }: Pick<Dangling, "text" | "settings">) {
  if (settings === "mesh") await tree.write("settings.yaml", text);
  return {
    inputs: settings === "mesh" ? [mesh] : [mesh, { file: "dangling.yaml", text }],
    mesh: settings === "mesh" ? tree.path("settings.yaml") : undefined,
    networks: settings === "networks" ? tree.path("networks.yaml") : undefined,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  };
}

async function resourcesWith(text: string, settings?: Dangling["settings"]) {
  const { resourcesFor } = await readMesh(await optionsFor({ text, ...(settings && { settings }) }));
  return Object.values(proxies).map((proxy) =>
    resourcesFor(proxy).map(({ resources }) => resources.map(({ name, entry }) => [name, entry])),
  );
}

function endOf(outcome: RequestOutcome): string {
  if (outcome.type === "refused") return [outcome.status ?? [], outcome.reason].flat().join(" ");
  if (outcome.type !== "forwarded") return outcome.type;
  const shares = outcome.targets.map(({ cluster, share, problem }) => {
    return [share === 1 ? [] : String(share), cluster, problem ?? []].flat().join(" ");
  });
  return shares.join(", ");
}

// A generator that fails ends the test: reading a mesh offline hides nothing.
describe("a dangling reference", () => {
  const ineffective = danglings.filter(({ fallback }) => fallback === "as if absent");
  const shown = danglings.flatMap((each) => {
    return each.fallback === "as if absent" ? [] : [{ ...each, fallback: each.fallback }];
  });

  test.each(ineffective)("has the effect of a missing object: $name", async ({ text, settings }) => {
    expect(await resourcesWith(text, settings)).toEqual(await resourcesWith(""));
  });

  test.each(shown)("gives requests the documented outcome: $name", async ({ fallback, ...dangling }) => {
    const read = await readMesh(await optionsFor(dangling));
    for (const proxy of Object.values(proxies)) read.resourcesFor(proxy);
    const { config } = readDump(dumpFor(proxies[fallback.from], read));
    const direction = fallback.from === "router" ? "gateway" : "outbound";
    const { outcome } = explain(config, { ...readSimulatedRequest("GET", fallback.url, []), direction });
    expect(endOf(outcome)).toBe(fallback.ends);
    // That secrets are not served is said of every credential, whether it leads somewhere or not.
    expect(read.issues.filter(({ code }) => code !== "no-effect")).toEqual([]);
  });

  test.each(danglings)("is reported with its line, once per reporter: $name", async ({ codes, ...dangling }) => {
    const { input } = await readForAnalysis({ ...(await optionsFor(dangling)), defaultNamespace: "default" });
    const line = dangling.text.split("\n").findIndex((each) => each.includes("nowhere")) + 1;
    const { messages } = analyze(analyzers, input);
    const said = messages.filter(
      (message) => messageLocation(message)?.file !== mesh.file && messageLocation(message)?.line === line,
    );
    expect(said.map(({ type }) => type.code)).toEqual(codes);
  });

  test("is not reported if every target exists", async () => {
    const { input } = await readForAnalysis({ ...(await optionsFor({ text: "" })), defaultNamespace: "default" });
    expect(analyze(analyzers, input).messages).toEqual([]);
  });
});

test("a policy also applies to a named port without a service", async () => {
  const text = `apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: { name: a, namespace: default }
spec: { selector: { matchLabels: { app: app } }, portLevelMtls: { 9999: { mode: STRICT } } }`;
  const read = await readMesh(await optionsFor({ text }));
  const { config } = readDump(dumpFor(proxies.sidecar, read));
  const { outcome } = explain(config, {
    ...readSimulatedRequest("GET", "http://10.0.0.9:9999/", []),
    direction: "inbound",
  });
  expect(endOf(outcome)).toBe("no filter chain of virtualInbound takes plaintext on port 9999");
});
