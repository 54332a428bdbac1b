import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createControlPlane } from "../../src/app/control-plane.ts";
import { encodeRoots } from "../../src/ca/roots.ts";
import { Sealed } from "../../src/lib/sealed.ts";
import { signingAuthority } from "../../src/testing/ca/signing.ts";
import { pairs } from "../../src/testing/config/fake-certificates.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { clusterType, extensionType, listenerType, secretType } from "../../src/xds/type-urls.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { get, portOf } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { coreYaml, pullSecret } from "./support/tls/secret-yaml.ts";
import { DeltaClient } from "./support/xds/ads-client.ts";
import { objectYaml } from "./support/yaml.ts";

const { one, two } = pairs;
const password = "hunter2-but-longer";
/** In a Secret with credentials for a registry, of which proxies get the whole JSON. */
const pullPassword = "swordfish-but-longer";

/** Every form in which the key could leak: a line of the PEM, and its base64 at each alignment. */
const needles = [one.key, two.key].flatMap((key) => {
  const [, line = ""] = key.split("\n");
  const encoded = [0, 1, 2].map((skip) =>
    Buffer.from(line)
      .toString("base64")
      .slice(4 + skip, 40),
  );
  const shifted = [0, 1, 2].map((skip) =>
    Buffer.from(key.slice(30 + skip, 90))
      .toString("base64")
      .slice(0, 60),
  );
  return [line.slice(0, 24), ...encoded, ...shifted];
});

/** The password as text, and inside base64 at each alignment. */
const pullNeedles = [0, 1, 2].map((skip) => Buffer.from(pullPassword.slice(skip, skip + 15)).toString("base64"));

function leaksIn(text: string, more: readonly string[] = []): readonly string[] {
  return [...needles, password, pullPassword, ...pullNeedles, ...more].filter((needle) => text.includes(needle));
}

/** The private keys in the state of an authority, as a part of their PEM, in text and in base64. */
function authorityNeedles(state: string): readonly string[] {
  const files = readdirSync(state).map((file) => readFileSync(join(state, file), "utf8"));
  const keys = files.flatMap((text) => text.match(/MIG[A-Za-z0-9+/]{60,}/gu) ?? []);
  const parts = [...new Set(keys.map((key) => key.slice(40, 64)))];
  return [...parts, ...parts.map((part) => Buffer.from(part).toString("base64").slice(4, 28))];
}

const good = { "tls.crt": one.certificate, "tls.key": one.key, password };

/** Documents that are wrong in every way in which a Secret can be. */
const broken: Readonly<Record<string, string>> = {
  "mismatch.yaml": coreYaml("Secret", "mismatch", { stringData: { "tls.crt": one.certificate, "tls.key": two.key } }),
  "type.yaml": coreYaml("Secret", "type", { stringData: [one.key], data: { "tls.key": one.key } }),
  "field.yaml": coreYaml("Secret", "field", { stringdata: good }),
  "case.yaml": coreYaml("Secret", "case", { stringData: good }).replace('"Secret"', '"secret"'),
  "version.yaml": coreYaml("Secret", "version", { stringData: good }).replace('"v1"', '"v2"'),
  "syntax.yaml": `apiVersion: v1\nkind: Secret\nmetadata: {name: syntax}\nstringData:\n  tls.key: |\n${one.key}\n`,
  "open.yaml": `apiVersion: v1\nkind: Secret\nmetadata: {name: open}\nstringData: {tls.key: "${one.key.slice(0, 150)}\n`,
  "label.yaml": coreYaml("Secret", "label", { stringData: good }).replace(
    '"name"',
    `"labels": {"a": "${one.key.split("\n")[1]}"}, "name"`,
  ),
  "pull.yaml": pullSecret("pull", { "hub.example.com": `robot:${pullPassword}` }).replace('"{', `"${pullPassword}{`),
  "list.yaml": JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: [{ apiVersion: "v1", kind: "Secret", metadata: {}, stringData: good }],
  }),
};

function mesh(): MeshDir {
  const tls = { mode: "SIMPLE", credentialName: "shop" };
  const plugin = { url: "oci://hub.example.com/modules/one:v1", imagePullSecret: "regcred" };
  const server = { port: { number: 8443, name: "https", protocol: "HTTPS" }, hosts: ["*"], tls };
  return new MeshDir({
    "gateway.yaml": objectYaml("Gateway", "edge", { selector: { app: "gw" }, servers: [server] }),
    "shop.yaml": coreYaml("Secret", "shop", {
      stringData: good,
      metadata: {
        name: "shop",
        namespace: "istio-system",
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(good) },
      },
    }),
    "pulled.yaml": pullSecret("regcred", { "hub.example.com": `robot:${pullPassword}` }, "istio-system"),
    "plugin.yaml": objectYaml("WasmPlugin", "pulled", plugin, "istio-system").replace(
      "networking.istio.io/v1",
      "extensions.istio.io/v1alpha1",
    ),
    ...broken,
  });
}

/** Pages that do something else than show. */
const acting = /pprof\/profile|force_disconnect/u;

test("no page, log, command, metric or other stream shows a private key of a proxy or of the authority", async () => {
  using dir = mesh();
  const state = await TempTree.create();
  onTestFinished(() => state.close());
  const logger = new RecordingLogger();
  const any = "127.0.0.1:0";
  const plane = createControlPlane({
    sources: [`file:${dir.path}`],
    xds: any,
    http: any,
    metrics: any,
    ctrlz: any,
    mcp: any,
    logger,
    logLevel: { default: "debug" },
    mcpTrace: true,
    allowPlaintextSecrets: true,
    xdsTls: any,
    xdsAuth: false,
    ca: "self-signed",
    caState: state.path("ca"),
    profiling: true,
  });
  const addresses = await plane.start();
  const agent = { ...gatewayNode, metadata: { ...gatewayNode.metadata, SDS_MODE: "agent" } };
  using envoy = new DeltaClient(portOf(addresses.xds), agent);
  for (const type of [clusterType, listenerType]) envoy.subscribe(type);
  envoy.subscribe(secretType, ["kubernetes://shop", "kubernetes://other/shop"]);
  envoy.subscribe(extensionType, ["extensions.istio.io/wasmplugin/istio-system.pulled"]);
  for (const type of [secretType, extensionType]) {
    const { resources } = await envoy.next(type);
    expect(leaksIn(resources.map(({ resource }) => Buffer.from(resource?.value ?? []).toString()).join())).not.toEqual(
      [],
    );
  }
  try {
    const node = encodeURIComponent(gatewayNode.id);
    const seen: Record<string, string> = {};
    for (const [name, address] of Object.entries({
      http: addresses.http,
      metrics: addresses.metrics,
      ctrlz: addresses.ctrlz,
    })) {
      const port = portOf(address);
      for (const path of await pathsOf(port)) {
        if (acting.test(path)) continue;
        for (const query of [
          "",
          `?proxyID=${node}`,
          `?proxyID=${node}&types=sds`,
          `?proxyID=${node}&types=ecds`,
          `?resource=Secret/istio-system/shop`,
        ]) {
          seen[`${name} ${path}${query}`] = (await get(port, `${path}${query}`)).body;
        }
      }
    }
    const server = ["--server", addresses.http];
    for (const args of [
      ["ca", "rotate", ...server],
      ...["text", "json", "yaml"].map((form) => ["ca", "status", ...server, "-o", form]),
      ...["text", "json", "yaml"].flatMap((form) => [
        ["proxy-config", "all", gatewayNode.id, ...server, "-o", form],
        ["proxy-config", "ecds", gatewayNode.id, ...server, "-o", form],
        ["proxy-config", "secret", gatewayNode.id, ...server, "-o", form],
        ["describe", "Secret", "regcred", "-n", "istio-system", ...server, "-o", form],
        ["describe", "WasmPlugin", "pulled", "-n", "istio-system", ...server, "-o", form],
        ["describe", "Secret", "shop", "-n", "istio-system", ...server, "-o", form],
        ["translate", dir.path, "--node", gatewayNode.id, "-o", form],
      ]),
      ["proxy-status", ...server],
      ["proxy-status", gatewayNode.id, ...server],
      ["sources", ...server],
      ["validate", dir.path],
      ["validate", dir.path, "-o", "json"],
      ["analyze", dir.path, "-o", "json"],
      ["analyze", ...server, "-o", "json"],
      ["explain", dir.path, "--from", gatewayNode.id, "GET", "https://shop.example.com:8443/"],
    ]) {
      const { stdout, stderr } = await runCommand(args);
      seen[args.join(" ")] = stdout + stderr;
    }
    for (const path of ["/debug/ca", "/debug/ca/rotation"]) {
      seen[`http ${path} in a rotation`] = (await get(portOf(addresses.http), path)).body;
    }
    const authority = authorityNeedles(state.path("ca"));
    // The keys of the old root and of the new one, each in two forms.
    expect(authority).toHaveLength(4);
    seen["log"] = JSON.stringify(logger.lines, (_, value: unknown) =>
      value instanceof Error ? `${value.stack}${String(value.cause)}` : value,
    );
    const leaks = Object.entries(seen).flatMap(([where, text]) =>
      leaksIn(text, authority).length === 0 ? [] : [where],
    );
    expect(leaks).toEqual([]);
    expect(seen[`ctrlz /debug/pprof/heap`]).toContain("refused");
    expect(seen[`proxy-config secret ${gatewayNode.id} --server ${addresses.http} -o text`]).toMatch(
      /kubernetes:\/\/other\/shop +REFUSED +the Secret is in another namespace[^]*kubernetes:\/\/shop +SERVED +Secret\/istio-system\/shop/u,
    );
    const metrics = seen["metrics /metrics"] ?? "";
    expect(metrics).toContain('pilot_sds_secrets{state="refused",reason="other-namespace"} 1');
    expect(Object.keys(seen).length).toBeGreaterThan(60);
  } finally {
    await plane.stop();
  }
});

test("an authority that cannot be read stops the start with an error that shows no key", async () => {
  using dir = new MeshDir({});
  const state = await TempTree.create();
  onTestFinished(() => state.close());
  const { authority } = await signingAuthority();
  const key = authority.key.reveal();
  const broken = { ...authority, key: new Sealed(key.slice(0, 120)) };
  const roots = encodeRoots({ phase: "steady", phaseSince: 0, signing: broken, trusted: [authority.root] }).reveal();
  writeFileSync(state.path("ca-roots.1.json"), roots, { mode: 0o600 });
  const logger = new RecordingLogger();
  const any = "127.0.0.1:0";
  const common = { sources: [`file:${dir.path}`], xds: any, http: any, metrics: any, ctrlz: "off", logger };
  const ca = { xdsTls: any, xdsAuth: false, ca: "self-signed", caState: state.directory } as const;
  const plane = createControlPlane({ ...common, ...ca });
  const thrown: unknown = await plane.start().catch((error: unknown) => error);
  await plane.stop();
  const shown = `${inspect(thrown, { depth: 10 })}${inspect(logger.lines, { depth: 10 })}`;
  expect(String(thrown)).toContain("the authority cannot sign: the key is not a private key in PEM");
  const line = key.split("\n")[1] ?? "";
  expect([line.slice(0, 24), line.slice(30, 60)].filter((part) => shown.includes(part))).toEqual([]);
});

/** The pages that a port lists. */
async function pathsOf(port: number): Promise<readonly string[]> {
  const bodies = await Promise.all(
    ["/", "/debug/list", "/debug", "/metrics"].map(async (path) => (await get(port, path)).body),
  );
  const found = bodies
    .flatMap((body) => body.match(/\/[a-z_/]*[a-zA-Z_]+/gu) ?? [])
    .filter((path) => !path.includes("//"));
  return [
    ...new Set(["/", "/metrics", "/debug/pprof/heap", ...found.filter((path) => /^\/(?:debug|[a-z]+z)\b/u.test(path))]),
  ];
}
