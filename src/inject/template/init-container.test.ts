import { expect, test } from "vitest";
import { containerOf, injectedPod, podYaml, variableOf } from "../../testing/config/injection.ts";

const argumentRows: readonly (readonly [string, string])[] = [
  ["traffic.sidecar.istio.io/includeOutboundIPRanges: '10.0.0.0/8,192.168.0.0/16'", "-i 10.0.0.0/8,192.168.0.0/16"],
  ["traffic.sidecar.istio.io/excludeOutboundIPRanges: 10.1.0.0/16", "-x 10.1.0.0/16"],
  ["traffic.sidecar.istio.io/includeInboundPorts: '80,81'", "-b 80,81"],
  ["traffic.sidecar.istio.io/excludeInboundPorts: '22'", "-d 15090,15021,22,15020"],
  ["traffic.sidecar.istio.io/includeOutboundPorts: '443'", "-q 443"],
  ["traffic.sidecar.istio.io/excludeOutboundPorts: '25'", "-o 25"],
  ["traffic.sidecar.istio.io/excludeInterfaces: eth1", "-c eth1"],
  ["istio.io/reroute-virtual-interfaces: veth0", "-k veth0"],
  ["traffic.sidecar.istio.io/kubevirtInterfaces: veth1", "-k veth1"],
  ["sidecar.istio.io/interceptionMode: TPROXY", "-m TPROXY"],
  ["status.sidecar.istio.io/port: '15999'", "-d 15090,15021,15999"],
  ["status.sidecar.istio.io/port: '0'", "-d 15090,15021 --log"],
  ["sidecar.istio.io/agentLogLevel: debug", "--log_output_level=debug"],
];

test.each(argumentRows)("the annotation %s redirects with %s", (annotations, expected) => {
  const { args } = containerOf(injectedPod(podYaml({ annotations })), "istio-init");
  expect((args as readonly string[]).join(" ")).toContain(expected);
});

test("with a CNI plugin, an unprivileged container checks the redirection, and annotations describe it", () => {
  const injected = injectedPod(podYaml({ spec: "initContainers: [{name: migrate, image: m}]" }), { cni: true });
  expect(injected.spec.initContainers?.map(({ name }) => name)).toEqual(["istio-validation", "migrate"]);
  const { args, securityContext } = containerOf(injected, "istio-validation");
  expect(args).toContain("--skip-rule-apply");
  expect(securityContext).toMatchObject({ runAsUser: 1337, runAsNonRoot: true, capabilities: { drop: ["ALL"] } });
  expect(injected.metadata.annotations).toMatchObject({
    "sidecar.istio.io/interceptionMode": "REDIRECT",
    "traffic.sidecar.istio.io/includeOutboundIPRanges": "*",
    "traffic.sidecar.istio.io/excludeInboundPorts": "15020",
  });
});

test("without interception there is no init container", () => {
  const injected = injectedPod(podYaml({ annotations: "sidecar.istio.io/interceptionMode: NONE" }));
  expect(injected.spec.initContainers).toBeUndefined();
  expect(variableOf(injected, "ISTIO_META_INTERCEPTION_MODE")?.["value"]).toBe("NONE");
});

test("transparent proxying runs the proxy as root with one capability", () => {
  const injected = injectedPod(podYaml({ annotations: "sidecar.istio.io/interceptionMode: TPROXY" }));
  expect(containerOf(injected, "istio-proxy")["securityContext"]).toMatchObject({
    capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
    runAsUser: 0,
    runAsGroup: 1337,
  });
});
