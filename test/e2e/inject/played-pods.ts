import { join } from "node:path";
import type { ServerPlan } from "../support/pod/servers.ts";

const servers = join(import.meta.dirname, "../support/pod/servers.ts");

/** The addresses of the services. No pod has them. */
export const appAddresses = { client: "10.96.0.11", server: "10.96.0.10" } as const;

/** The server's second container is ready while this file exists, in the folder of its process. */
export const checkedFile = `/tmp/binnacle-checked-${process.pid}`;

function podBody(name: string, annotations: object, spec: object): object {
  return {
    metadata: { name, labels: { app: name }, annotations },
    spec: { nodeName: "node-1", serviceAccountName: name, ...spec },
  };
}

function serving(...plans: readonly ServerPlan[]): readonly string[] {
  return [process.execPath, servers, JSON.stringify(plans)];
}

/** Asks a service until it answers, at most a thousand times. Ends with 0 if it does. */
function asking(address: string): readonly string[] {
  const ask = `fetch("http://${address}/").then((reply) => reply.status === 200, () => false)`;
  const wait = "await new Promise((resolve) => setTimeout(resolve, 50))";
  const script = `for (let i = 0; i < 1000; i++) { if (await ${ask}) process.exit(0); ${wait} } process.exit(1)`;
  return [process.execPath, "--input-type=module", "-e", script];
}

/** A classic sidecar, which starts before the application. The probes are of every type. */
export const serverPod = podBody(
  "server",
  { "proxy.istio.io/config": "holdApplicationUntilProxyStarts: true" },
  {
    initContainers: [{ name: "prepare", image: "app", command: ["true"] }],
    containers: [
      {
        name: "app",
        image: "app",
        command: serving(
          { type: "http", name: "server", port: 8080 },
          { type: "tcp", name: "raw", port: 9000 },
          { type: "health", name: "health", port: 9001 },
        ),
        ports: [{ name: "web", containerPort: 8080 }],
        readinessProbe: { httpGet: { path: "/ready", port: "web" } },
        livenessProbe: { tcpSocket: { port: 9000 } },
        startupProbe: { grpc: { port: 9001 } },
      },
      {
        name: "checked",
        image: "app",
        command: ["sleep", "3600"],
        readinessProbe: { exec: { command: ["test", "-e", checkedFile] } },
        livenessProbe: { httpGet: { path: "/sick", port: 8080 } },
      },
    ],
  },
);

/** A native sidecar, and an init container that needs the mesh. */
export const clientPod = podBody(
  "client",
  {
    "sidecar.istio.io/nativeSidecar": "true",
    "proxy.istio.io/config": "{terminationDrainDuration: 1s, concurrency: 1}",
  },
  {
    initContainers: [{ name: "setup", image: "app", command: asking(appAddresses.server) }],
    containers: [
      {
        name: "app",
        image: "app",
        command: serving({ type: "http", name: "client", port: 8080 }),
        readinessProbe: { httpGet: { path: "/ready", port: 8080 } },
      },
    ],
  },
);

/** A proxy alone. It listens on a port below 1024 without the rights of root. */
export const gatewayPod = podBody(
  "gateway",
  { "inject.istio.io/templates": "gateway" },
  { containers: [{ name: "istio-proxy", image: "auto", ports: [{ containerPort: 80 }] }] },
);
