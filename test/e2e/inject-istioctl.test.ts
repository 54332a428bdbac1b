import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { knownAnnotations } from "../../src/inject/annotations.ts";
import { knownLabels } from "../../src/inject/labels.ts";
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
