import { describe, expect, test } from "vitest";
import {
  containerOf,
  type InjectionChoices,
  injectedPod,
  injectValue,
  variableOf,
} from "../testing/config/injection.ts";

/** A pod with annotations, labels and more fields of its spec and of its container. */
function pod({ annotations = "", labels = "app: web", spec = "", container = "" } = {}): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {${labels}}, annotations: {${annotations}}}
spec:
  ${spec}
  containers:
  - name: web
    image: shop/web:1
    ports: [{name: http, containerPort: 8080}]
    ${container}
`;
}

describe("an injected pod", () => {
  const injected = injectedPod(pod());

  test("has the application first, then the proxy, after an init container that redirects traffic", () => {
    expect(injected.spec.containers.map(({ name }) => name)).toEqual(["web", "istio-proxy"]);
    expect(injected.spec.initContainers?.map(({ name }) => name)).toEqual(["istio-init"]);
  });

  test("keeps the fields of the application", () => {
    expect(injected.spec.containers[0]).toEqual({
      name: "web",
      image: "shop/web:1",
      ports: [{ name: "http", containerPort: 8080 }],
    });
  });

  test("runs the proxy without privileges, as user 1337", () => {
    expect(containerOf(injected, "istio-proxy")["securityContext"]).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsGroup: 1337,
      runAsNonRoot: true,
      runAsUser: 1337,
    });
  });

  test("proves its identity by a token for the certificate authority", () => {
    expect(injected.spec.volumes).toContainEqual({
      name: "istio-token",
      projected: {
        sources: [{ serviceAccountToken: { path: "istio-token", expirationSeconds: 43_200, audience: "istio-ca" } }],
      },
    });
    expect(injected.spec.volumes).toContainEqual({ name: "istiod-ca-cert", configMap: { name: "istio-ca-root-cert" } });
  });

  test("mounts exactly the injected volumes", () => {
    const mounts = containerOf(injected, "istio-proxy")["volumeMounts"] as readonly { readonly name: string }[];
    const volumes = injected.spec.volumes?.map(({ name }) => name) ?? [];
    expect(mounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
  });

  test("has the labels and annotations that others rely on", () => {
    expect(injected.metadata.labels).toEqual({
      app: "web",
      "security.istio.io/tlsMode": "istio",
      "service.istio.io/canonical-name": "web",
      "service.istio.io/canonical-revision": "latest",
    });
    expect(injected.metadata.annotations).toEqual({
      "istio.io/rev": "default",
      "kubectl.kubernetes.io/default-container": "web",
      "kubectl.kubernetes.io/default-logs-container": "web",
      "prometheus.io/path": "/stats/prometheus",
      "prometheus.io/port": "15020",
      "prometheus.io/scrape": "true",
      "sidecar.istio.io/status": JSON.stringify({
        initContainers: ["istio-init"],
        containers: ["istio-proxy"],
        volumes: injected.spec.volumes?.map(({ name }) => name),
        imagePullSecrets: null,
        revision: "default",
      }),
    });
  });
});

const settingRows: readonly (readonly [string, InjectionChoices, string, unknown])[] = [
  ["a revision", { revision: "canary" }, "CA_ADDR", "istiod-canary.istio-system.svc:15012"],
  ["a discovery address", { discoveryAddress: "binnacle.mesh:15012" }, "CA_ADDR", "binnacle.mesh:15012"],
  ["an authority of its own", { caAddress: "ca.mesh:443" }, "CA_ADDR", "ca.mesh:443"],
  ["a cluster", { cluster: "east" }, "ISTIO_META_CLUSTER_ID", "east"],
  ["a network", { network: "n1" }, "ISTIO_META_NETWORK", "n1"],
  ["a mesh id", { meshId: "m1" }, "ISTIO_META_MESH_ID", "m1"],
  ["a trust domain", { mesh: "trustDomain: corp.example" }, "TRUST_DOMAIN", "corp.example"],
  [
    "a variable",
    { mesh: "defaultConfig: {proxyMetadata: {ISTIO_META_DNS_CAPTURE: 'true'}}" },
    "ISTIO_META_DNS_CAPTURE",
    "true",
  ],
  ["no own values", {}, "ISTIO_META_OWNER", "kubernetes://apis/v1/namespaces/shop/pods/web-0"],
  ["a discovery address", { discoveryAddress: "b:1" }, "PROXY_CONFIG", '{"discoveryAddress":"b:1"}\n'],
  ["no own values", {}, "PROXY_CONFIG", "{}\n"],
  ["no own values", {}, "ISTIO_META_POD_PORTS", '[{"name":"http","containerPort":8080}]'],
  [
    "an inbound policy",
    { mesh: "inboundTrafficPolicy: {mode: LOCALHOST}" },
    "REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION",
    "true",
  ],
];

test.each(settingRows)("with %s %j the variable %s is %j", (_what, choices, name, value) => {
  expect(variableOf(injectedPod(pod(), choices), name)).toEqual({ name, value });
});

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
  const { args } = containerOf(injectedPod(pod({ annotations })), "istio-init");
  expect((args as readonly string[]).join(" ")).toContain(expected);
});

const imageRows: readonly (readonly [string, InjectionChoices, string])[] = [
  ["", {}, "istio/proxyv2:1.29.6"],
  ["sidecar.istio.io/proxyImageType: distroless", {}, "istio/proxyv2:1.29.6-distroless"],
  ["sidecar.istio.io/proxyImage: corp/proxy:1", {}, "corp/proxy:1"],
  ["proxy.istio.io/config: '{image: {imageType: debug}}'", {}, "istio/proxyv2:1.29.6-debug"],
];

test.each(imageRows)("the annotation %j and the settings %j select the image %s", (annotations, choices, image) => {
  expect(containerOf(injectedPod(pod({ annotations }), choices), "istio-proxy").image).toBe(image);
});

test("resources in annotations replace all default resources", () => {
  const annotations = "sidecar.istio.io/proxyCPU: 50m, sidecar.istio.io/proxyMemoryLimit: 1Gi";
  const injected = injectedPod(pod({ annotations }));
  const resources = { requests: { cpu: "50m" }, limits: { memory: "1Gi" } };
  expect(containerOf(injected, "istio-proxy")["resources"]).toEqual(resources);
  expect(containerOf(injected, "istio-init")["resources"]).toEqual(resources);
});

test("a native sidecar is an init container before those of the user, and drains before it stops", () => {
  const injected = injectedPod(pod({ spec: "initContainers: [{name: migrate, image: shop/migrate}]" }), {
    native: true,
  });
  expect(injected.spec.containers.map(({ name }) => name)).toEqual(["web"]);
  expect(injected.spec.initContainers?.map(({ name }) => name)).toEqual(["istio-init", "istio-proxy", "migrate"]);
  const { restartPolicy, lifecycle } = containerOf(injected, "istio-proxy");
  expect(restartPolicy).toBe("Always");
  expect(lifecycle).toEqual({
    preStop: { exec: { command: ["pilot-agent", "request", "--debug-port=15020", "POST", "drain"] } },
  });
});

test.each([
  ["true", false, true],
  ["false", true, false],
])("the annotation nativeSidecar %s overrides the setting %j", (value, native, isNative) => {
  const injected = injectedPod(pod({ annotations: `sidecar.istio.io/nativeSidecar: '${value}'` }), { native });
  expect(injected.spec.initContainers?.some(({ name }) => name === "istio-proxy")).toBe(isNative);
});

test("a proxy that holds the application is the first container, and blocks the next one", () => {
  const annotations = "proxy.istio.io/config: '{holdApplicationUntilProxyStarts: true}'";
  const injected = injectedPod(pod({ annotations }));
  expect(injected.spec.containers.map(({ name }) => name)).toEqual(["istio-proxy", "web"]);
  expect(injected.spec.containers[0]?.["lifecycle"]).toEqual({
    postStart: { exec: { command: ["pilot-agent", "wait"] } },
  });
});

test("with a CNI plugin, an unprivileged container checks the redirection, and annotations describe it", () => {
  const injected = injectedPod(pod({ spec: "initContainers: [{name: migrate, image: m}]" }), { cni: true });
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
  const injected = injectedPod(pod({ annotations: "sidecar.istio.io/interceptionMode: NONE" }));
  expect(injected.spec.initContainers).toBeUndefined();
  expect(variableOf(injected, "ISTIO_META_INTERCEPTION_MODE")?.["value"]).toBe("NONE");
});

test("transparent proxying runs the proxy as root with one capability", () => {
  const injected = injectedPod(pod({ annotations: "sidecar.istio.io/interceptionMode: TPROXY" }));
  expect(containerOf(injected, "istio-proxy")["securityContext"]).toMatchObject({
    capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
    runAsUser: 0,
    runAsGroup: 1337,
  });
});

describe("the user's own istio-proxy container", () => {
  const own =
    "{name: istio-proxy, image: auto, resources: {limits: {cpu: '3'}}, env: [{name: MINE, value: x}], securityContext: {runAsUser: 4000}}";
  const yaml = `${pod()}  - ${own}\n`;
  const injected = injectedPod(yaml);

  test("customises the injected one", () => {
    const proxy = containerOf(injected, "istio-proxy");
    expect(proxy.image).toBe("istio/proxyv2:1.29.6");
    expect(proxy["resources"]).toEqual({
      limits: { cpu: "3", memory: "1Gi" },
      requests: { cpu: "100m", memory: "128Mi" },
    });
    expect(variableOf(injected, "MINE")).toEqual({ name: "MINE", value: "x" });
    expect(variableOf(injected, "CA_ADDR")).toBeDefined();
  });

  test("gives its user id to the redirection", () => {
    expect(containerOf(injected, "istio-init")["args"]).toEqual(expect.arrayContaining(["-u", "4000"]));
  });

  test("is remembered for the next injection, without its image", () => {
    const overrides = injected.metadata.annotations?.["proxy.istio.io/overrides"] ?? "";
    expect(JSON.parse(overrides)).toEqual({
      containers: [
        {
          name: "istio-proxy",
          resources: { limits: { cpu: "3" } },
          env: [{ name: "MINE", value: "x" }],
          securityContext: { runAsUser: 4000 },
        },
      ],
    });
  });

  test("moves with a native sidecar", () => {
    const native = injectedPod(yaml, { native: true });
    expect(native.spec.containers.map(({ name }) => name)).toEqual(["web"]);
    expect(containerOf(native, "istio-proxy")["resources"]).toMatchObject({ limits: { cpu: "3" } });
  });
});

test("a volume of the user takes the place of an injected one", () => {
  const socket = "{name: workload-socket, csi: {driver: csi.spiffe.io}}";
  const injected = injectedPod(pod({ spec: `volumes: [${socket}]` }));
  const volumes = injected.spec.volumes?.filter(({ name }) => name === "workload-socket");
  expect(volumes).toEqual([{ name: "workload-socket", csi: { driver: "csi.spiffe.io" } }]);
});

test("a gateway consists of the user's istio-proxy container alone", () => {
  const injected = injectedPod(`
apiVersion: v1
kind: Pod
metadata: {name: gw-0, namespace: istio-system, annotations: {inject.istio.io/templates: gateway}}
spec: {containers: [{name: istio-proxy, image: auto, ports: [{containerPort: 8443}]}]}
`);
  expect(injected.spec.containers.map(({ name }) => name)).toEqual(["istio-proxy"]);
  expect(injected.spec.initContainers).toBeUndefined();
  const gateway = containerOf(injected, "istio-proxy");
  expect(gateway.image).toBe("istio/proxyv2:1.29.6");
  expect(gateway["args"]).toEqual(expect.arrayContaining(["proxy", "router"]));
  expect(gateway.ports).toEqual([
    { containerPort: 8443 },
    { containerPort: 15_090, protocol: "TCP", name: "http-envoy-prom" },
  ]);
  expect(injected.spec["securityContext"]).toEqual({
    sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }],
  });
});

const twice: readonly (readonly [string, string, InjectionChoices])[] = [
  ["a plain pod", pod(), {}],
  ["a native sidecar", pod(), { native: true }],
  ["a CNI plugin", pod(), { cni: true }],
  ["a network and secrets", pod(), { network: "n1", pullSecrets: ["registry"] }],
  ["probes", pod({ container: "readinessProbe: {httpGet: {port: http, scheme: HTTPS}}" }), {}],
  ["scraped metrics", pod({ annotations: "prometheus.io/port: '9090', prometheus.io/path: /m" }), {}],
  [
    "own fields of the proxy",
    `${pod()}  - {name: istio-proxy, image: auto, args: [proxy, sidecar, --x], env: [{name: A, value: b}]}\n`,
    {},
  ],
  [
    "own fields of a native proxy",
    `${pod()}  - {name: istio-proxy, image: own/proxy:1, lifecycle: {preStop: {exec: {command: [sleep]}}}}\n`,
    { native: true },
  ],
  ["an init container", pod({ spec: "initContainers: [{name: i, image: i}]" }), {}],
  ["a pod that holds", pod({ annotations: "proxy.istio.io/config: '{holdApplicationUntilProxyStarts: true}'" }), {}],
];

test.each(twice)("injecting a pod with %s again gives the same bytes", (_what, yaml, choices) => {
  const once = injectedPod(yaml, choices);
  expect(JSON.stringify(injectValue(once, choices).value)).toBe(JSON.stringify(once));
});

test("injecting again with other settings follows them", () => {
  const first = injectedPod(pod({ container: "livenessProbe: {tcpSocket: {port: 8080}}" }));
  const again = injectValue(first, { cni: true, native: true, discoveryAddress: "b:1" }).value as typeof first;
  expect(again.spec.containers.map(({ name }) => name)).toEqual(["web"]);
  expect(again.spec.initContainers?.map(({ name }) => name)).toEqual(["istio-validation", "istio-proxy"]);
  expect(variableOf(again, "CA_ADDR")?.["value"]).toBe("b:1");
  expect(variableOf(again, "ISTIO_KUBE_APP_PROBERS")?.["value"]).toContain('"tcpSocket":{"port":8080}');
});
