import { expect, test } from "vitest";
import { containerOf, injectedPod, variableOf } from "../testing/config/injection.ts";

function podWith(container: string, annotations = ""): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: web-0, annotations: {${annotations}}}
spec: {containers: [{name: web, ports: [{name: http, containerPort: 8080}], ${container}}]}
`;
}

function probersOf(pod: ReturnType<typeof injectedPod>): unknown {
  const value = variableOf(pod, "ISTIO_KUBE_APP_PROBERS")?.["value"];
  return typeof value === "string" ? JSON.parse(value) : value;
}

const rows: readonly (readonly [string, string, string, unknown])[] = [
  [
    "readinessProbe",
    "{httpGet: {path: /r, port: 8080}, periodSeconds: 5}",
    "/app-health/web/readyz",
    { httpGet: { path: "/r", port: 8080 } },
  ],
  [
    "livenessProbe",
    "{httpGet: {path: /l, port: http}, timeoutSeconds: 2}",
    "/app-health/web/livez",
    { httpGet: { path: "/l", port: 8080 }, timeoutSeconds: 2 },
  ],
  ["startupProbe", "{tcpSocket: {port: 8080}}", "/app-health/web/startupz", { tcpSocket: { port: 8080 } }],
  [
    "readinessProbe",
    "{httpGet: {port: '8081'}, timeoutSeconds: 0}",
    "/app-health/web/readyz",
    { httpGet: { port: 8081 } },
  ],
  [
    "readinessProbe",
    "{grpc: {port: 9000, service: s}}",
    "/app-health/web/readyz",
    { grpc: { port: 9000, service: "s" } },
  ],
];

test.each(rows)("the agent answers the %s %s at %s", (field, probe, path, prober) => {
  const pod = injectedPod(podWith(`${field}: ${probe}`));
  const { httpGet, tcpSocket, grpc } = containerOf(pod, "web")[field] as Record<string, unknown>;
  expect(httpGet).toEqual({ path, port: 15_020 });
  expect([tcpSocket, grpc]).toEqual([undefined, undefined]);
  expect(probersOf(pod)).toEqual({ [path]: prober });
});

test("the agent asks by HTTPS where the kubelet did, and is asked by HTTP", () => {
  const pod = injectedPod(
    podWith("livenessProbe: {httpGet: {port: 8080, scheme: HTTPS, httpHeaders: [{name: a, value: b}]}}"),
  );
  const headers = [{ name: "a", value: "b" }];
  expect(containerOf(pod, "web")["livenessProbe"]).toEqual({
    httpGet: { port: 15_020, scheme: "HTTP", httpHeaders: headers, path: "/app-health/web/livez" },
  });
  expect(probersOf(pod)).toEqual({
    "/app-health/web/livez": { httpGet: { port: 8080, scheme: "HTTPS", httpHeaders: headers } },
  });
});

test("hooks of the application's lifecycle go through the agent, too", () => {
  const pod = injectedPod(
    podWith("lifecycle: {preStop: {httpGet: {path: /bye, port: 8080}}, postStart: {exec: {command: [x]}}}"),
  );
  expect(containerOf(pod, "web")["lifecycle"]).toEqual({
    preStop: { httpGet: { path: "/app-lifecycle/web/prestopz", port: 15_020 } },
    postStart: { exec: { command: ["x"] } },
  });
});

test.each([
  ["a command", "readinessProbe: {exec: {command: [test]}}"],
  ["a port that has no number", "readinessProbe: {httpGet: {port: missing}}"],
  ["a port that is not whole", "readinessProbe: {tcpSocket: {port: 80.5}}"],
])("a probe of %s stays", (_what, probe) => {
  const pod = injectedPod(podWith(probe));
  expect(containerOf(pod, "web")["readinessProbe"]).toEqual(
    containerOf(injectedPod(podWith(probe, off)), "web")["readinessProbe"],
  );
  expect(probersOf(pod)).toBeUndefined();
});

const off = "sidecar.istio.io/rewriteAppHTTPProbers: 'false'";

test.each([off, "status.sidecar.istio.io/port: '0'"])("with %s no probe is rewritten", (annotation) => {
  const pod = injectedPod(podWith("readinessProbe: {httpGet: {path: /r, port: 8080}}", annotation));
  expect(containerOf(pod, "web")["readinessProbe"]).toEqual({ httpGet: { path: "/r", port: 8080 } });
  expect(probersOf(pod)).toBeUndefined();
});

test("probers are sorted by path, whatever the order of the containers", () => {
  const probe = "image: x, livenessProbe: {tcpSocket: {port: 1}}";
  const pod = injectedPod(
    `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: b, ${probe}}, {name: a, ${probe}}]}}`,
  );
  expect(Object.keys(probersOf(pod) as object)).toEqual(["/app-health/a/livez", "/app-health/b/livez"]);
});

test("probes of init containers that keep running go through the agent, too", () => {
  const probe = "restartPolicy: Always, startupProbe: {httpGet: {path: /s, port: 1}}";
  const pod = injectedPod(
    `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {initContainers: [{name: i, ${probe}}], containers: [{name: a}]}}`,
  );
  expect(containerOf(pod, "i")["startupProbe"]).toEqual({ httpGet: { path: "/app-health/i/startupz", port: 15_020 } });
  expect(probersOf(pod)).toEqual({ "/app-health/i/startupz": { httpGet: { path: "/s", port: 1 } } });
});
