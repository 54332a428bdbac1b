import { expect, test } from "vitest";
import { containerOf, type InjectionChoices, injectedPod, podYaml } from "../testing/config/injection.ts";

/** A pod whose user gives these ids to the proxy. */
function podOf(ids: string, choices: InjectionChoices = {}, annotations = "") {
  return injectedPod(
    `${podYaml({ annotations })}  - {name: istio-proxy, image: auto, securityContext: {${ids}}}\n`,
    choices,
  );
}

function argument(pod: ReturnType<typeof podOf>, container: string): string {
  const { args } = containerOf(pod, container);
  return (args as readonly string[]).join(" ");
}

test("the redirection skips the traffic of the proxy's own user", () => {
  expect(argument(podOf("runAsUser: 4000"), "istio-init")).toContain("-z 15006 -u 4000 -m REDIRECT");
});

test.each(["runAsUser: 0", "runAsGroup: 5"])("with %s the redirection skips Istio's user", (ids) => {
  expect(argument(podOf(ids), "istio-init")).toContain("-u 1337 -m");
});

test("the check of a CNI plugin runs as the proxy's own user and group", () => {
  const pod = podOf("runAsUser: 4000, runAsGroup: 5000", { cni: true });
  expect(containerOf(pod, "istio-validation")["securityContext"]).toMatchObject({
    runAsUser: 4000,
    runAsGroup: 5000,
    runAsNonRoot: true,
  });
  expect(argument(pod, "istio-validation")).toContain("-u 4000 -m");
});

test("with transparent proxying the proxy stays root, and other containers keep their user", () => {
  const pod = podOf("runAsUser: 4000", { cni: true }, "sidecar.istio.io/interceptionMode: TPROXY");
  expect(containerOf(pod, "istio-proxy")["securityContext"]).toMatchObject({ runAsUser: 0 });
  expect(containerOf(pod, "istio-validation")["securityContext"]).toMatchObject({ runAsUser: 1337 });
  expect(containerOf(pod, "web")["securityContext"]).toBeUndefined();
});
