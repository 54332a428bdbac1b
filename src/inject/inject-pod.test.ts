import { describe, expect, test } from "vitest";
import {
  containerOf,
  type InjectionChoices,
  injectedPod,
  injectValue,
  podYaml,
  variableOf,
} from "../testing/config/injection.ts";
import type { Container, Pod } from "./pod.ts";

describe("an injected pod", () => {
  const injected = injectedPod(podYaml());

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

test("a volume of the user takes the place of an injected one", () => {
  const socket = "{name: workload-socket, csi: {driver: csi.spiffe.io}}";
  const injected = injectedPod(podYaml({ spec: `volumes: [${socket}]` }));
  const volumes = injected.spec.volumes?.filter(({ name }) => name === "workload-socket");
  expect(volumes).toEqual([{ name: "workload-socket", csi: { driver: "csi.spiffe.io" } }]);
});

const twice: readonly (readonly [string, string, InjectionChoices])[] = [
  ["a plain pod", podYaml(), {}],
  ["a native sidecar", podYaml(), { native: true }],
  ["a CNI plugin", podYaml(), { cni: true }],
  ["a network and secrets", podYaml(), { network: "n1", pullSecrets: ["registry"] }],
  ["probes", podYaml({ container: "readinessProbe: {httpGet: {port: http, scheme: HTTPS}}" }), {}],
  ["scraped metrics", podYaml({ annotations: "prometheus.io/port: '9090', prometheus.io/path: /m" }), {}],
  [
    "own fields of the proxy",
    `${podYaml()}  - {name: istio-proxy, image: auto, args: [proxy, sidecar, --x], env: [{name: A, value: b}]}\n`,
    {},
  ],
  [
    "own fields of a native proxy",
    `${podYaml()}  - {name: istio-proxy, image: own/proxy:1, lifecycle: {preStop: {exec: {command: [sleep]}}}}\n`,
    { native: true },
  ],
  ["an init container", podYaml({ spec: "initContainers: [{name: i, image: i}]" }), {}],
  [
    "a pod that holds",
    podYaml({ annotations: "proxy.istio.io/config: '{holdApplicationUntilProxyStarts: true}'" }),
    {},
  ],
];

test.each(twice)("injecting a pod with %s again gives the same bytes", (_what, yaml, choices) => {
  const once = injectedPod(yaml, choices);
  const { value, outcomes } = injectValue(once, choices);
  expect(outcomes.map(({ type }) => type)).toEqual(["injected"]);
  expect(JSON.stringify(value)).toBe(JSON.stringify(once));
});

function defaulted(container: Container): Container {
  return { ...container, terminationMessagePath: "/dev/termination-log" };
}

test("injecting again keeps fields that the API server added to injected containers", () => {
  const once = injectedPod(podYaml());
  const { containers, initContainers = [] } = once.spec;
  const stored = {
    ...once,
    spec: { ...once.spec, containers: containers.map(defaulted), initContainers: initContainers.map(defaulted) },
  };
  expect(injectValue(stored).value).toEqual(stored);
});

test("injecting a native sidecar again without native sidecars moves the proxy", () => {
  const again = injectValue(injectedPod(podYaml(), { native: true })).value as Pod;
  expect(again.spec.containers.map(({ name }) => name)).toEqual(["web", "istio-proxy"]);
  expect(again.spec.initContainers?.map(({ name }) => name)).toEqual(["istio-init"]);
});

test("injecting again without interception removes the redirection", () => {
  const once = injectedPod(podYaml());
  const annotations = { ...once.metadata.annotations, "sidecar.istio.io/interceptionMode": "NONE" };
  const again = injectValue({ ...once, metadata: { ...once.metadata, annotations } }).value as Pod;
  expect(again.spec.initContainers).toEqual([]);
});

test("without a native sidecar, traffic is redirected after the user's init containers", () => {
  const injected = injectedPod(
    podYaml({ spec: "initContainers: [{name: migrate, image: m}, {name: seed, image: s}]" }),
  );
  expect(injected.spec.initContainers?.map(({ name }) => name)).toEqual(["migrate", "seed", "istio-init"]);
});

test("injecting again with other settings follows them", () => {
  const first = injectedPod(podYaml({ container: "livenessProbe: {tcpSocket: {port: 8080}}" }));
  const again = injectValue(first, { cni: true, native: true, discoveryAddress: "b:1" }).value as typeof first;
  expect(again.spec.containers.map(({ name }) => name)).toEqual(["web"]);
  expect(again.spec.initContainers?.map(({ name }) => name)).toEqual(["istio-validation", "istio-proxy"]);
  expect(variableOf(again, "CA_ADDR")?.["value"]).toBe("b:1");
  expect(variableOf(again, "ISTIO_KUBE_APP_PROBERS")?.["value"]).toContain('"tcpSocket":{"port":8080}');
});
