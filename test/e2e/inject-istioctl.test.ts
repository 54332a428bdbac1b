import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { peerPath } from "../../scripts/peer.ts";
import { knownAnnotations } from "../../src/inject/annotations.ts";
import { knownLabels } from "../../src/inject/labels.ts";
import { isMapping } from "../../src/lib/is-mapping.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { injectedDifferences } from "./inject/injected-differences.ts";
import { istioInstallation, offline } from "./inject/istio-installation.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithIstioctl = await describeWith("istioctl");
const run = promisify(execFile);
/** Istio's own test inputs, and the listed differences between its result and ours: each has a reason. */
const cases: readonly (readonly [string, readonly RegExp[]])[] = [
  ["hello", []],
  ["hello-probes", []],
  ["https-probes", []],
  ["tcp-probes", []],
  ["named_port", []],
  ["multi-init", []],
  ["merge-probers", []],
  ["prometheus-scrape", []],
  ["resource_annotations", []],
  ["user-volume", []],
  ["native-sidecar-opt-in", []],
  ["hello-probes-proxyHoldApplication-ProxyConfig", []],
  ["init-no-intercept-no-native-sidecar", []],
  ["kubevirtInterfaces", []],
  ["traffic-annotations-wildcards", []],
  ["proxy-override", []],
  ["proxy-override-runas", []],
  ["gateway", []],
  ["statefulset", []],
  ["list", []],
  ["hello-host-network", []],
  ["hello-ignore", []],
  // The authority is at the address that the pod gives for its control plane.
  ["traffic-annotations", [/env\.CA_ADDR/u]],
  // The agent serves metrics at the port that the pod chooses.
  ["status_annotations", [/prometheus\.io\/port/u]],
];

/** Changes of the values and of the MeshConfig, and the listed differences. */
const valuesRows: readonly (readonly [string, string, readonly RegExp[]])[] = [
  [
    "{global: {imagePullPolicy: Always, imagePullSecrets: [a, b], logAsJson: true, network: n1, meshID: m1, variant: distroless}}",
    "{inboundTrafficPolicy: {mode: LOCALHOST}, trustDomain: corp.example}",
    [],
  ],
  [
    "{global: {proxy: {privileged: true, seccompProfile: {type: RuntimeDefault}, outlierLogPath: /dev/stdout, logLevel: info}}}",
    "{defaultConfig: {proxyMetadata: {B: '1', A: '2'}, interceptionMode: TPROXY}}",
    [],
  ],
  [
    "{pilot: {cni: {enabled: true}}, global: {nativeNftables: true, proxy: {excludeInboundPorts: '22', includeIPRanges: 10.0.0.0/8}}}",
    "{enablePrometheusMerge: false, proxyListenPort: 15101}",
    [],
  ],
  [
    "{global: {caAddress: 'ca:1', proxy: {holdApplicationUntilProxyStarts: true, startupProbe: {enabled: false}, resources: {limits: {cpu: '1'}}}}}",
    "{defaultConfig: {image: {imageType: debug}, holdApplicationUntilProxyStarts: true}}",
    [],
  ],
  [
    "{sidecarInjectorWebhook: {rewriteAppHTTPProbe: false, injectedAnnotations: {x: y}}, global: {proxy: {lifecycle: {preStop: {exec: {command: [sleep]}}}, capNetBindService: true}}}",
    "{}",
    // istioctl reads them from the file of its templates.
    [/annotations\.x/u],
  ],
];

/** Lays mappings over others. */
function merged(below: unknown, above: unknown): unknown {
  if (!isMapping(below) || !isMapping(above)) return above;
  const inner = Object.entries(above).map(([name, value]) => [name, merged(below[name], value)] as const);
  return { ...below, ...Object.fromEntries(inner) };
}

describeWithIstioctl("injection by istioctl and by us", () => {
  const rig = shared(async (resources) => {
    const folder = mkdtempSync(join(tmpdir(), "binnacle-injected-"));
    resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    const istioctl = await peerPath("istioctl");
    const installed = await istioInstallation(istioctl);
    const files = { config: join(folder, "config"), values: join(folder, "values"), mesh: join(folder, "mesh") };
    for (const name of ["config", "values", "mesh"] as const) writeFileSync(files[name], installed[name]);
    const module = resolve(import.meta.dirname, "../../scripts/peers/istioctl");
    const list = ["list", "-m", "-f", "{{.Dir}}", "istio.io/istio", "istio.io/api"];
    const [istio = "", api = ""] = (await run("go", list, { cwd: module })).stdout.split("\n");
    return { istioctl, files, inputs: join(istio, "pkg/kube/inject/testdata/inject"), api };
  });

  test.each(cases)("give the same pod for Istio's test input %s, but for %j", async (name, listed) => {
    const { istioctl, files, inputs } = rig();
    const input = join(inputs, `${name}.yaml`);
    const flags = ["--injectConfigFile", files.config, "--meshConfigFile", files.mesh, "--valuesFile", files.values];
    const theirs = await run(istioctl, ["kube-inject", "--revision", "default", "-f", input, ...flags], offline);
    const ours = await runCommand(["inject", "-f", "-", "--values", files.values, "--mesh", files.mesh], {
      input: readFileSync(input, "utf8"),
    });
    expect(ours.code).toBe(0);
    const found = injectedDifferences(theirs.stdout, ours.stdout);
    expect(found.filter((line) => !listed.some((difference) => difference.test(line)))).toEqual([]);
    expect(listed.filter((difference) => !found.some((line) => difference.test(line)))).toEqual([]);
  });

  test.each(valuesRows)(
    "give the same pod for the values %s and the mesh %s, but for %j",
    async (values, mesh, listed) => {
      const { istioctl, files, inputs } = rig();
      const changed = { values: `${files.values}-changed`, mesh: `${files.mesh}-changed` };
      writeFileSync(changed.values, JSON.stringify(merged(parse(readFileSync(files.values, "utf8")), parse(values))));
      writeFileSync(changed.mesh, JSON.stringify(merged(parse(readFileSync(files.mesh, "utf8")), parse(mesh))));
      for (const name of ["hello", "gateway"]) {
        const input = join(inputs, `${name}.yaml`);
        const flags = [
          "--injectConfigFile",
          files.config,
          "--meshConfigFile",
          changed.mesh,
          "--valuesFile",
          changed.values,
        ];
        const theirs = await run(istioctl, ["kube-inject", "--revision", "default", "-f", input, ...flags], offline);
        const ours = await runCommand(["inject", "-f", input, "--values", changed.values, "--mesh", changed.mesh]);
        const found = injectedDifferences(theirs.stdout, ours.stdout);
        expect([name, found.filter((line) => !listed.some((difference) => difference.test(line)))]).toEqual([name, []]);
      }
    },
  );

  test("fail for the same annotations", async () => {
    const { istioctl, files, inputs } = rig();
    const names = [
      "excludeinboundports",
      "excludeipranges",
      "excludeoutboundports",
      "includeinboundports",
      "includeipranges",
    ];
    for (const name of names) {
      const input = join(inputs, `traffic-annotations-bad-${name}.yaml`);
      const flags = ["--injectConfigFile", files.config, "--meshConfigFile", files.mesh, "--valuesFile", files.values];
      const args = ["kube-inject", "--revision", "default", "-f", input, ...flags];
      await expect(run(istioctl, args, offline)).rejects.toThrow("invalid value");
      expect((await runCommand(["inject", "-f", input])).code).toBe(1);
    }
  });

  test("know the same annotations and labels of pods", () => {
    // The injection reads these from Istio's templates, but the list lacks them.
    const unlisted = ["sidecar.istio.io/capNetBindService"];
    expect([...ofPods(join(rig().api, "annotation/annotations.gen.go")), ...unlisted].toSorted()).toEqual(
      knownAnnotations.map(({ name }) => name),
    );
    expect(ofPods(join(rig().api, "label/labels.gen.go"))).toEqual(knownLabels.map(({ name }) => name));
  });
});

/** The names for pods in a file of Istio's API. */
function ofPods(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const entries = text.matchAll(/Name: *"(?<name>[^"]+)",[^]*?Resources: \[\]ResourceTypes\{(?<kinds>[^}]*)\}/gu);
  const found = [...entries].filter(({ groups }) => /\bPod\b/u.test(groups?.["kinds"] ?? ""));
  return found.map(({ groups }) => groups?.["name"] ?? "").toSorted();
}
