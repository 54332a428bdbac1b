import { expect, test } from "vitest";
import { parse } from "yaml";
import { peerPath } from "../../scripts/peer.ts";
import { injectionSource } from "../../src/config/mesh/injection-source.ts";
import { parseOnly } from "../../src/config/yaml/yaml.ts";
import { answerInjection } from "../../src/inject/admission/answer-injection.ts";
import { knownAnnotations } from "../../src/inject/annotations.ts";
import type { InjectionContext } from "../../src/inject/inject-pod.ts";
import { discoveryAddressOf } from "../../src/inject/settings/injection-settings.ts";
import { readValues } from "../../src/inject/settings/read-values.ts";
import { configsIn, meshConfigIn } from "../../src/testing/config/configs-in.ts";
import { injectedDifferences } from "./inject/injected-differences.ts";
import { istioInstallation } from "./inject/istio-installation.ts";
import { answeredPod, reviewOf } from "./inject/webhook-answers.ts";
import { annotationValues, podRows, proxyConfigYaml, refusedRows, skippedRows } from "./inject/webhook-rows.ts";
import { Kube } from "./support/kube/kube.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { Istiod } from "./support/xds/istiod.ts";

const describeWithIstiod = await describeWith("istioctl", "istiod", "kube");

describeWithIstiod("the webhooks of a real istiod and of us", () => {
  const rig = shared(async (resources) => {
    const { config, values, mesh } = await istioInstallation(await peerPath("istioctl"));
    const kube = resources.use(await Kube.start());
    const objects = resources.use(new MeshDir({ "proxy-configs.yaml": proxyConfigYaml }));
    const istiod = resources.use(
      await Istiod.start({
        kubeconfig: kube.kubeconfig("admin"),
        configSources: [`fs://${objects.path}`],
        mesh: parse(mesh),
        injection: { config, values },
        env: { ENABLE_NATIVE_SIDECARS: "false" },
      }),
    );
    await istiod.ready();
    const read = readValues(parseOnly(values, "values"));
    if (!("settings" in read)) throw new Error(read.problems.join());
    const { settings } = read;
    const meshObjects = { meshConfigs: [meshConfigIn(mesh)], proxyConfigs: configsIn(proxyConfigYaml) };
    const context: InjectionContext = { settings, ...injectionSource(meshObjects, discoveryAddressOf(settings)) };
    return { istiod, context };
  });

  const both = async (pod: object, namespace: string) => {
    const { istiod, context } = rig();
    const review = reviewOf(pod, namespace);
    const theirs = answeredPod(pod, JSON.parse(await istiod.inject(review)));
    return { theirs, ours: answeredPod(pod, answerInjection(review, context).review) };
  };

  test.each(podRows)("give the same pod for %s, but for %j", async (_what, listed, namespace, pod) => {
    const { theirs, ours } = await both(pod, namespace);
    expect([theirs, ours]).not.toContainEqual(pod);
    const found = injectedDifferences(JSON.stringify(theirs), JSON.stringify(ours));
    expect(found.filter((line) => !listed.some((difference) => difference.test(line)))).toEqual([]);
    expect(listed.filter((difference) => !found.some((line) => difference.test(line)))).toEqual([]);
  });

  test("are compared for every annotation that the injection reads", () => {
    const read = knownAnnotations.filter(({ by, doc }) => by === "injection" && !doc.startsWith("Written"));
    expect(Object.keys(annotationValues)).toEqual(read.map(({ name }) => name));
  });

  test.each(skippedRows)("leave a pod with %s as it is", async (_what, namespace, pod) => {
    expect(await both(pod, namespace)).toEqual({ theirs: pod, ours: pod });
  });

  test.each(refusedRows)("refuse the annotation %s: %s", async (name, value) => {
    const metadata = { name: "bad", annotations: { [name]: value } };
    const refused = { refused: true };
    const pod = { metadata, spec: { containers: [{ name: "app", image: "app" }] } };
    expect(await both(pod, "shop")).toEqual({ theirs: refused, ours: refused });
  });
});
