import { expect, test } from "vitest";
import { assert } from "../../src/lib/assert.ts";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { capturePush } from "../../src/pilot/model/push-context.ts";
import { pushRequestFor } from "../../src/pilot/registry/push-request-for.ts";
import { Catalogue } from "../../src/pilot/xds/catalogue.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { proxyWithName } from "../../src/testing/model/proxy-with-name.ts";
import { LoadedMesh } from "../golden/generate.ts";

const namespace = "shop";

function object(apiVersion: string, kind: string, spec: object): string {
  return JSON.stringify({
    apiVersion: `${apiVersion}.istio.io/v1alpha1`,
    kind,
    metadata: { name: "one", namespace },
    spec,
  });
}

const telemetry = (disabled: boolean) =>
  object("telemetry", "Telemetry", { accessLogging: [{ providers: [{ name: "envoy" }], disabled }] });

const envoyFilter = (shift: number) =>
  object("networking", "EnvoyFilter", {
    configPatches: [
      {
        applyTo: "LISTENER",
        match: { context: "SIDECAR_OUTBOUND" },
        patch: { operation: "MERGE", value: { per_connection_buffer_limit_bytes: shift } },
      },
    ],
  }).replace("v1alpha1", "v1alpha3");

const wasmPlugin = (phase: string) =>
  object("extensions", "WasmPlugin", { url: "file:///opt/a.wasm", pluginName: "a", phase });

function sidecar(of: string, index: number) {
  const name = `app-${index}.${of}`;
  return proxyWithName(`sidecar~10.1.${of.length}.${1 + index}~${name}~${of}.svc.cluster.local`, {
    NAMESPACE: of,
    LABELS: { app: `app-${index}` },
  });
}

function fail({ cause }: { readonly cause: Error }): never {
  throw cause;
}

/** How many messages an edit makes the server encode for one sidecar of its namespace and `others` of another. */
async function encodingsOf([before, after]: readonly [string, string], others: number): Promise<number> {
  const mesh = new LoadedMesh();
  mesh.graph.batch(() => mesh.load({ file: "mesh.yaml", text: before }));
  const writer = new ProtoWriter();
  const push = capturePush(mesh.environment.views(), 0);
  const catalogue = new Catalogue(createGenerators({ writer }), push, fail);
  const proxies = [sidecar(namespace, 0), ...Array.from({ length: others }, (_, index) => sidecar("other", index))];
  const lease = () => proxies.flatMap((proxy) => catalogue.types.map((type) => catalogue.lease(type, proxy, "all")));
  const leases = lease();
  const count = writer.encodings;
  const commit = mesh.graph.batch(() => mesh.load({ file: "mesh.yaml", text: after }));
  const request = commit && pushRequestFor(commit, mesh.environment, 0);
  assert(request !== undefined, "every edit is a change");
  await catalogue.advance(capturePush(mesh.environment.views(), 1), request, () => Promise.resolve());
  lease();
  for (const each of leases) each.end();
  return writer.encodings - count;
}

test.each([
  ["Telemetry", telemetry(false), telemetry(true)],
  ["EnvoyFilter", envoyFilter(1000), envoyFilter(2000)],
  ["WasmPlugin", wasmPlugin("AUTHN"), wasmPlugin("AUTHZ")],
])("a changed %s of one namespace costs nothing for the proxies of another", async (_, before, after) => {
  const alone = await encodingsOf([before, after], 0);
  expect(alone).toBeGreaterThan(0);
  expect(await encodingsOf([before, after], 20)).toBe(alone);
});
