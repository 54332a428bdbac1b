import { describe, expect, test } from "vitest";
import { commands } from "./commands.ts";
import { run } from "./run.ts";

async function binnacle(...args: readonly string[]) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await run(args, {
    env: {},
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
  });
  return { code, stdout: printed.join("\n"), stderr: complaints.join("\n") };
}

const gateway = "router~127.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local";
const sidecar = "sidecar~127.0.0.9~web-0.default~default.svc.cluster.local";

describe("the command line", () => {
  test.each([
    [[], 2],
    [["--help"], 0],
    [["help"], 0],
  ])("%j lists every command", async (args, code) => {
    const answer = await binnacle(...args);
    expect(answer.code).toBe(code);
    for (const { name } of commands) expect(answer.stdout).toContain(`  ${name} `);
  });

  test.each(commands.map(({ name }) => name))(
    "%s --help has flags and examples, and complains of others",
    async (name) => {
      const { code, stdout } = await binnacle(name, "--help");
      expect([code, stdout]).toEqual([0, expect.stringMatching(/--help .*\n\nexamples:\n {2}binnacle /u)]);
      expect(await binnacle(name, "--no-such-flag")).toMatchObject({ code: 2, stdout: "" });
    },
  );

  test.each([
    [["serv"], 2, "binnacle: unknown command serv; did you mean serve?"],
    [["teleport"], 2, "binnacle: unknown command teleport; see binnacle --help"],
    [["serve", "--xsd", "off"], 2, "binnacle serve: unknown flag --xsd; did you mean --xds?"],
    [
      ["serve", "--source", "etcd://a/b"],
      2,
      "binnacle serve: --source etcd://a/b: etcd: is not supported yet; use file:DIR",
    ],
    [["version", "now"], 2, "binnacle version: expected no arguments, found now"],
    [["bootstrap"], 2, "binnacle bootstrap: expected envoy, found none"],
    [["bootstrap", "grpc"], 2, "binnacle bootstrap: expected envoy, found grpc"],
  ])("%j ends with one sentence", async (args, code, sentence) => {
    expect(await binnacle(...args)).toEqual({ code, stdout: "", stderr: sentence });
  });

  test("a directory that is not there is a problem, not wrong usage", async () => {
    const ports = ["--xds", "off", "--http", "off", "--metrics", "off"];
    const { code, stderr } = await binnacle("serve", "no/such/directory", ...ports);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^binnacle serve: .*there is no such directory$/u);
  });

  test.each([["version"], ["--version"]])("%s prints the version", async (word) => {
    expect(await binnacle(word)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^binnacle \d+\.\d+\.\d+/u) });
  });
});

describe("bootstrap envoy", () => {
  test("prints what a gateway needs to take everything over ADS", async () => {
    const { code, stdout } = await binnacle("bootstrap", "envoy", "--node", gateway, "--xds", "127.0.0.1:1234");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      node: { id: gateway, metadata: { NAMESPACE: "istio-system", INSTANCE_IPS: "127.0.0.1", LABELS: { app: "gw" } } },
      admin: { address: { socket_address: { address: "127.0.0.1", port_value: 15000 } } },
      dynamic_resources: {
        ads_config: { api_type: "GRPC", set_node_on_first_message_only: true },
        cds_config: { initial_fetch_timeout: "0s" },
      },
      static_resources: { clusters: [{ name: "xds-grpc", type: "STATIC" }] },
    });
    expect(stdout).toContain('"port_value": 1234');
  });

  test("prints a sidecar without interception, with delta, as YAML without aliases", async () => {
    const { stdout } = await binnacle("bootstrap", "envoy", "--node", sidecar, "--delta", "-o", "yaml");
    expect(stdout).toContain("INTERCEPTION_MODE: NONE");
    expect(stdout).toContain("api_type: DELTA_GRPC");
    expect(stdout).not.toMatch(/[&*]a1/u);
  });

  test.each([
    [["--node", "gateway"], "--node: expected TYPE~IP~NAME.NAMESPACE~NAMESPACE.svc.DOMAIN"],
    [["--node", gateway, "--xds", "off"], '--xds: expected HOST:PORT, found "off"'],
    [["--node", gateway, "-o", "toml"], '--output: expected json or yaml, found "toml"'],
  ])("%j is wrong usage", async (args, sentence) => {
    const { code, stderr } = await binnacle("bootstrap", "envoy", ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
