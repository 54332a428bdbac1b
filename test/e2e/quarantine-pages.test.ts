import { expect, test } from "vitest";
import type { QuarantinePage } from "../../src/admin/pilot/quarantine-page.ts";
import { defaultOptions } from "../../src/app/options/options.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { wire } from "../../src/app/wire.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { YamlSource } from "../../src/testing/galley/yaml-source.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { tlsSecret } from "./support/tls/secret-yaml.ts";
import { objectYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const bound = { seconds: 20 };
const id = "EnvoyFilter/istio-system/script";

/** A filter that only Envoy can judge: validation does not read Lua. */
function script(code: string): string {
  const value = {
    name: "envoy.filters.http.lua",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
      default_source_code: { inline_string: code },
    },
  };
  const match = {
    context: "GATEWAY",
    listener: { filterChain: { filter: { name: "envoy.filters.network.http_connection_manager" } } },
  };
  const configPatches = [{ applyTo: "HTTP_FILTER", match, patch: { operation: "INSERT_FIRST", value } }];
  // The kind has no later version.
  return objectYaml("EnvoyFilter", "script", { configPatches }, "istio-system").replace("io/v1", "io/v1alpha3");
}

/** A server in this process with one host, and a gateway in its own process. */
async function serving(resources: AsyncDisposableStack) {
  const [xdsPort, port] = [await freePort(), await freePort()];
  const source = new YamlSource("test");
  const servers = [{ port: { number: port, name: "http", protocol: "HTTP" }, bind: "127.0.0.1", hosts: ["*"] }];
  const http = [{ directResponse: { status: 200, body: { string: "hello" } } }];
  source.apply(
    [
      objectYaml("Gateway", "public", { selector: { app: "gw" }, servers }, "istio-system"),
      objectYaml("VirtualService", "hello", { hosts: ["*"], gateways: ["istio-system/public"], http }, "istio-system"),
    ].join("\n---\n"),
  );
  const local = "127.0.0.1:0";
  const settings = {
    xds: `127.0.0.1:${xdsPort}`,
    http: local,
    metrics: local,
    ctrlz: "off",
    sources: [],
    allowPlaintextSecrets: true,
  };
  const logger = new RecordingLogger();
  const logged = (message: string) => logger.lines.filter((line) => line.message === message);
  const context = { clock: systemClock, logger, version: "test", ownSources: [source] };
  const { lifecycle, listeners } = wire({ ...defaultOptions(), ...settings, quarantine: true }, context);
  await lifecycle.start();
  resources.defer(() => lifecycle.stop());
  resources.use(await startEnvoy({ xdsPort, mode: "delta" }));
  await eventually("the gateway serves", async () => (await get(port, "/")).body === "hello", bound);
  const server = listeners.addresses.http;
  const page = async <T>(path: string) => (await (await fetch(`http://${server}${path}`)).json()) as T;
  return { source, port, page, logged, command: (...args: string[]) => runCommand([...args, "--server", server]) };
}

/** A port for HTTPS with the certificate of this Secret. */
function securedGateway(port: number, credentialName: string): string {
  const servers = [
    { port: { number: port, name: "https", protocol: "HTTPS" }, hosts: ["*"], tls: { mode: "SIMPLE", credentialName } },
  ];
  return objectYaml("Gateway", "secured", { selector: { app: "gw" }, servers }, "istio-system");
}

type Rejections = readonly { readonly message: string; readonly objects: readonly { readonly object: string }[] }[];

describeWithEnvoy("a filter that a real Envoy refuses", () => {
  test("is listed with Envoy's words, tried again, served on demand, and leaves the list when it is mended", async () => {
    await using resources = new AsyncDisposableStack();
    const { source, port, page, command, logged } = await serving(resources);
    const quarantined = async () => (await page<QuarantinePage>("/debug/quarantine")).objects;
    source.apply(script("function ("));
    await eventually("it is quarantined", async () => (await quarantined()).length === 1, bound);
    const [refused] = await quarantined();
    expect(refused).toMatchObject({
      object: id,
      class: expect.stringMatching(/^router /u),
      proxies: 1,
      reason: expect.stringContaining("script load error"),
      rejected: [{ type: "LDS" }],
      instead: { type: "nothing" },
    });
    const listed = await command("quarantine", "list");
    expect([listed.code, listed.stdout]).toEqual([1, expect.stringContaining(`${id}: ${refused?.reason}`)]);

    // The same version is refused again, and the gateway serves all the time.
    expect(await command("quarantine", "retry", id)).toMatchObject({ code: 0 });
    await eventually("it is tried again", () => logged("search for refused objects ended").length === 2, bound);
    expect(await quarantined()).toMatchObject([{ object: id }]);
    expect((await get(port, "/")).body).toBe("hello");
    expect(await page<Rejections>("/debug/nacks")).toEqual([]);

    expect(await command("quarantine", "release", id)).toMatchObject({ code: 0 });
    const rejected = async () => (await page<Rejections>("/debug/nacks")).flatMap(({ objects }) => objects);
    const isBlamed = async () => (await rejected()).some(({ object }) => object === id);
    await eventually("Envoy rejects the released version", isBlamed, bound);
    expect(await page("/debug/quarantine")).toMatchObject({ objects: [], released: [{ object: id }] });

    source.apply(script('function envoy_on_response(h) h:headers():add("x-script", "1") end'));
    await eventually("the mended script runs", async () => (await get(port, "/")).headers["x-script"] === "1", bound);
    const emptied = await command("quarantine", "list");
    expect([emptied.code, emptied.stdout]).toEqual([0, expect.stringContaining("nothing is in quarantine")]);
    expect(await page<Rejections>("/debug/nacks")).toEqual([]);
  });
});

describeWithEnvoy("a Secret that a real Envoy refuses", () => {
  test("is refused in every trial, although Envoy ignores the same bytes of a secret the second time", async () => {
    await using resources = new AsyncDisposableStack();
    using authority = await TestAuthority.create();
    const [one, two] = [await authority.issueHost("one"), await authority.issueHost("two")];
    const { source, page, command, logged } = await serving(resources);
    const quarantined = async () => (await page<QuarantinePage>("/debug/quarantine")).objects;
    source.apply(securedGateway(await freePort(), "tenant"));
    source.applyUnvalidated(tlsSecret("tenant", { ...one, privateKey: two.privateKey }));
    await eventually("it is quarantined", async () => (await quarantined()).length === 1, bound);
    expect(await quarantined()).toMatchObject([{ object: "Secret/istio-system/tenant", instead: { type: "nothing" } }]);
    for (const searches of [2, 3]) {
      const tried = async () => (await command("quarantine", "retry")).code === 0;
      await eventually("it is tried again", tried, bound);
      const ended = () => logged("search for refused objects ended").length === searches;
      await eventually("the trial has ended", ended, bound);
      expect(await quarantined()).toMatchObject([{ object: "Secret/istio-system/tenant" }]);
    }
    expect(logged("object released from quarantine")).toEqual([]);
    source.apply(tlsSecret("tenant", one));
    await eventually("it is served", async () => (await quarantined()).length === 0, bound);
    expect(await page<Rejections>("/debug/nacks")).toEqual([]);
  });
});
