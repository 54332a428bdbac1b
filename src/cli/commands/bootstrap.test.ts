import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

const gateway = "router~127.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local";
const sidecar = "sidecar~127.0.0.9~web-0.default~default.svc.cluster.local";
const certificates = ["--cert", "certs/cert.pem", "--key", "/certs/key.pem", "--ca", "certs/ca.pem"];

async function bootstrapOf(...args: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(["bootstrap", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("bootstrap envoy", () => {
  test("prints a gateway bootstrap with everything over ADS", async () => {
    const file = await bootstrapOf("envoy", "--node", gateway, "--xds", "127.0.0.1:1234");
    expect(file).toMatchObject({
      node: {
        id: gateway,
        cluster: "gw.istio-system",
        metadata: { NAMESPACE: "istio-system", INSTANCE_IPS: "127.0.0.1", LABELS: { app: "gw" }, SDS_MODE: "none" },
      },
      admin: { address: { socket_address: { address: "127.0.0.1", port_value: 15000 } } },
      dynamic_resources: {
        ads_config: { api_type: "GRPC", set_node_on_first_message_only: true },
        cds_config: { initial_fetch_timeout: "0s" },
      },
      static_resources: { clusters: [{ name: "xds-grpc", type: "STATIC" }] },
    });
    expect(JSON.stringify(file)).toContain('"port_value":1234');
    expect(file.node.metadata).not.toHaveProperty("INTERCEPTION_MODE");
  });

  test("prints a delta sidecar bootstrap without interception, as YAML without aliases", async () => {
    const { stdout } = await runCommand(["bootstrap", "envoy", "--node", sidecar, "--delta", "-o", "yaml"]);
    expect(stdout).toContain("INTERCEPTION_MODE: NONE");
    expect(stdout).toContain("api_type: DELTA_GRPC");
    expect(stdout).not.toMatch(/[&*]a1/u);
  });

  test("completes a short node id, and keeps given labels and metadata", async () => {
    const described = ["--label", "version=v2", "--meta", "NETWORK=n=1", "--meta", 'PROXY_CONFIG={"concurrency":2}'];
    const { node } = await bootstrapOf(
      "envoy",
      "--node",
      "sidecar~web-0.shop",
      "--domain",
      "mesh.example",
      ...described,
    );
    expect(node).toMatchObject({
      id: "sidecar~127.0.0.1~web-0.shop~shop.svc.mesh.example",
      metadata: {
        NAMESPACE: "shop",
        LABELS: { app: "web", version: "v2" },
        NETWORK: "n=1",
        PROXY_CONFIG: { concurrency: 2 },
      },
    });
  });

  test("resolves the DNS name of the control plane", async () => {
    const { static_resources } = await bootstrapOf("envoy", "--node", gateway, "--xds", "binnacle.example:15010");
    expect(static_resources.clusters).toMatchObject([{ name: "xds-grpc", type: "STRICT_DNS" }]);
  });

  test("intercepts traffic on request", async () => {
    const { node } = await bootstrapOf("envoy", "--node", sidecar, "--interception", "REDIRECT");
    expect(node.metadata.INTERCEPTION_MODE).toBe("REDIRECT");
  });

  test("names certificate files by absolute paths", async () => {
    const { node, static_resources } = await bootstrapOf("envoy", "--node", sidecar, ...certificates);
    expect(node.metadata).toMatchObject({
      SDS_MODE: "files",
      TLS_CERT_CHAIN: resolve("certs/cert.pem"),
      TLS_KEY: "/certs/key.pem",
      TLS_ROOT_CERT: resolve("certs/ca.pem"),
    });
    expect(static_resources.clusters).toHaveLength(1);
  });

  test("calls the control plane over mutual TLS, and verifies its certificate", async () => {
    const over = ["--xds", "127.0.0.1:15012", "--xds-ca", "certs/root.pem"];
    const { static_resources: known } = await bootstrapOf("envoy", "--node", gateway, ...over, ...certificates);
    expect(known.clusters[0].transport_socket.typed_config.common_tls_context).toEqual({
      alpn_protocols: ["h2"],
      tls_certificates: [
        { certificate_chain: { filename: resolve("certs/cert.pem") }, private_key: { filename: "/certs/key.pem" } },
      ],
      validation_context: {
        trusted_ca: { filename: resolve("certs/root.pem") },
        match_typed_subject_alt_names: [{ san_type: "IP_ADDRESS", matcher: { exact: "127.0.0.1" } }],
      },
    });
    const named = ["--xds", "binnacle.example:15012", "--xds-ca", "certs/root.pem"];
    const { static_resources: nobody } = await bootstrapOf("envoy", "--node", gateway, ...named);
    expect(nobody.clusters[0].transport_socket.typed_config).toMatchObject({
      sni: "binnacle.example",
      common_tls_context: {
        validation_context: { match_typed_subject_alt_names: [{ san_type: "DNS" }] },
      },
    });
    expect(JSON.stringify(nobody)).not.toContain("tls_certificates");
  });

  test("names the SDS socket of an agent", async () => {
    const { node, static_resources } = await bootstrapOf(
      "envoy",
      "--node",
      sidecar,
      "--sds",
      "agent",
      "--sds-socket",
      "/s",
    );
    expect(node.metadata).not.toHaveProperty("SDS_MODE");
    expect(static_resources.clusters[1]).toMatchObject({
      name: "sds-grpc",
      load_assignment: { endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: "/s" } } } }] }] },
    });
  });
});

describe("bootstrap grpc", () => {
  test("prints a bootstrap that every gRPC library reads", async () => {
    const file = await bootstrapOf("grpc", "--node", "sidecar~client-0.default", "--xds", "[::1]:15010");
    expect(file).toEqual({
      xds_servers: [{ server_uri: "[::1]:15010", channel_creds: [{ type: "insecure" }], server_features: ["xds_v3"] }],
      node: {
        id: "sidecar~127.0.0.1~client-0.default~default.svc.cluster.local",
        cluster: "client.default",
        locality: {},
        metadata: expect.objectContaining({ GENERATOR: "grpc", NAMESPACE: "default" }),
      },
      server_listener_resource_name_template: "xds.istio.io/grpc/lds/inbound/%s",
    });
    expect(file.node.metadata).not.toHaveProperty("SDS_MODE");
  });

  test("watches certificate files", async () => {
    const file = await bootstrapOf("grpc", "--node", "sidecar~client-0.default", ...certificates);
    expect(file.certificate_providers.default).toEqual({
      plugin_name: "file_watcher",
      config: {
        certificate_file: resolve("certs/cert.pem"),
        private_key_file: "/certs/key.pem",
        ca_certificate_file: resolve("certs/ca.pem"),
        refresh_interval: "900s",
      },
    });
  });
});

describe("bootstrap rejects", () => {
  const full = "TYPE~NAME.NAMESPACE or TYPE~IP~NAME.NAMESPACE~NAMESPACE.svc.DOMAIN, TYPE being sidecar or router";

  test.each([
    [[], "expected envoy or grpc, and then DIR…, found none"],
    [["nginx", "--node", gateway], "expected envoy or grpc, found nginx"],
    [["envoy"], "--node is missing: name a proxy, such as router~gw-0.istio-system"],
    [["envoy", "--node", "gateway"], `--node: expected ${full}; found "gateway"`],
    [["envoy", "--node", "sidecar~web"], `--node: expected ${full}; found "sidecar~web"`],
    [["envoy", "--node", "ztunnel~a.b"], `--node: expected ${full}; found "ztunnel~a.b"`],
    [
      ["envoy", "--node", "router~here~a.b~b.svc.c"],
      '--node: node id "router~here~a.b~b.svc.c": "here" is not an IP address, and INSTANCE_IPS has no valid list either',
    ],
    [["envoy", "--node", gateway, "--label", "app"], '--label: expected KEY=VALUE, found "app"'],
    [["envoy", "--node", gateway, "--meta", "=1"], '--meta: expected KEY=VALUE, found "=1"'],
    [["envoy", "--node", gateway, "--xds", "off"], '--xds: expected HOST:PORT, found "off"'],
    [["envoy", "--node", gateway, "--admin", "localhost:1"], '--admin: expected IP:PORT, found "localhost:1"'],
    [["envoy", "--node", gateway, "-o", "toml"], '--output: expected json or yaml, found "toml"'],
    [["envoy", "--node", gateway, "--key", "k"], "--cert is missing: --cert, --key and --ca belong together"],
    [["envoy", "--node", gateway, "--sds", "agent", ...certificates], "--sds agent: not with --cert, --key and --ca"],
    [["envoy", "--node", gateway, "--sds", "ads"], '--sds: expected none or agent, found "ads"'],
    [
      ["envoy", "--node", sidecar, "--interception", "none"],
      '--interception: expected NONE, REDIRECT or TPROXY, found "none"',
    ],
    [
      ["envoy", "--node", gateway, "--interception", "NONE"],
      `--interception: only for sidecars, and ${gateway} is a router`,
    ],
    [["grpc", "--node", sidecar, "--delta"], "--delta: only for envoy"],
    [["grpc", "--node", gateway], "--node: expected a sidecar, because every gRPC client is one"],
  ])("%j", async (args, sentence) => {
    expect(await runCommand(["bootstrap", ...args])).toEqual({
      code: 2,
      stdout: "",
      stderr: `binnacle bootstrap: ${sentence}`,
    });
  });

  test("metadata that looks like JSON and is not", async () => {
    const { code, stderr } = await runCommand(["bootstrap", "envoy", "--node", gateway, "--meta", "PROXY_CONFIG={x"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^binnacle bootstrap: --meta PROXY_CONFIG: .*JSON/u);
  });
});
