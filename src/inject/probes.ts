import { isMapping } from "../lib/is-mapping.ts";
import { parseJson } from "../lib/parse-json.ts";
import { proxyContainer } from "./names.ts";
import type { Container, EnvVar, Fields } from "./pod.ts";

const probersVariable = "ISTIO_KUBE_APP_PROBERS";

/** The probes of a container, and the path under which the agent answers each. */
const probePaths = {
  readinessProbe: "/app-health/NAME/readyz",
  livenessProbe: "/app-health/NAME/livez",
  startupProbe: "/app-health/NAME/startupz",
} as const;

const hookPaths = {
  preStop: "/app-lifecycle/NAME/prestopz",
  postStart: "/app-lifecycle/NAME/poststartz",
} as const;

/** The checks that the agent does for the kubelet, by the agent's path. */
type Probers = Record<string, Fields>;

interface Rewriting {
  readonly containers: readonly Container[];
  readonly probers: Readonly<Probers>;
}

/**
 * Lets the kubelet ask the agent instead of the application: it has no certificate, so mTLS would refuse its probes.
 * The agent then asks the application. Probes that run a command stay, and so do probes of ports that have no number.
 */
export function rewriteProbes(containers: readonly Container[], statusPort: number): Rewriting {
  const probers: Probers = {};
  const rewritten = containers.map((container) => {
    if (container.name === proxyContainer) return container;
    const rewrite = rewriterFor(container, { statusPort, probers });
    const { lifecycle } = container;
    const hooks = isMapping(lifecycle) ? { lifecycle: { ...lifecycle, ...rewrite(lifecycle, hookPaths) } } : {};
    return { ...container, ...rewrite(container, probePaths), ...hooks };
  });
  return { containers: rewritten, probers };
}

/** Adds the checks to the variables of the proxy. Checks of an earlier injection stay. */
export function withProbers(env: readonly EnvVar[], probers: Readonly<Probers>): readonly EnvVar[] {
  const before = env.find(({ name }) => name === probersVariable)?.["value"];
  const earlier = typeof before === "string" ? parseJson(before) : undefined;
  const all = { ...(isMapping(earlier) ? earlier : {}), ...probers };
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  if (Object.keys(sorted).length === 0) return env;
  const variable = { name: probersVariable, value: JSON.stringify(sorted) };
  if (!env.some(({ name }) => name === probersVariable)) return [...env, variable];
  return env.map((each) => (each.name === probersVariable ? variable : each));
}

function rewriterFor(container: Container, { statusPort, probers }: { statusPort: number; probers: Probers }) {
  const ports = portNumbers(container);
  return (handlers: Fields, paths: Readonly<Record<string, string>>): Fields => {
    const entries = Object.entries(paths).flatMap(([field, template]) => {
      const handler = handlers[field];
      if (!isMapping(handler)) return [];
      const path = template.replace("NAME", container.name);
      const prober = proberFor(handler, ports);
      if (prober === undefined || isRewritten(handler, path, statusPort)) return [];
      probers[path] = prober;
      return [[field, rewritten(handler, path, statusPort)] as const];
    });
    return Object.fromEntries(entries);
  };
}

function isRewritten({ httpGet }: Fields, path: string, statusPort: number): boolean {
  return isMapping(httpGet) && httpGet["path"] === path && httpGet["port"] === statusPort;
}

/** The agent connects to the application by HTTPS where the kubelet did, and answers the kubelet by HTTP. */
function rewritten(handler: Fields, path: string, port: number): Fields {
  const { httpGet, tcpSocket: _tcpSocket, grpc: _grpc, ...rest } = handler;
  const action = isMapping(httpGet) ? httpGet : {};
  const scheme = action["scheme"] === "HTTPS" ? { scheme: "HTTP" } : {};
  return { ...rest, httpGet: { ...action, path, port, ...scheme } };
}

function proberFor(handler: Fields, ports: ReadonlyMap<unknown, unknown>): Fields | undefined {
  const { httpGet, tcpSocket, grpc, timeoutSeconds } = handler;
  const timeout = typeof timeoutSeconds === "number" && timeoutSeconds > 0 ? { timeoutSeconds } : {};
  const http = withNumber(httpGet, ports);
  if (http !== undefined) return { httpGet: http, ...timeout };
  const tcp = withNumber(tcpSocket, ports);
  if (tcp !== undefined) return { tcpSocket: tcp, ...timeout };
  return isMapping(grpc) ? { grpc, ...timeout } : undefined;
}

/** The agent does not know the names of ports. */
function withNumber(action: unknown, ports: ReadonlyMap<unknown, unknown>): Fields | undefined {
  if (!isMapping(action)) return undefined;
  const { port } = action;
  const number = typeof port === "string" && !/^\d+$/u.test(port) ? ports.get(port) : Number(port);
  return typeof number === "number" && Number.isInteger(number) ? { ...action, port: number } : undefined;
}

function portNumbers({ ports = [] }: Container): ReadonlyMap<unknown, unknown> {
  return new Map(ports.map(({ name, containerPort }) => [name, containerPort]));
}
