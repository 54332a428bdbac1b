import { oncePer } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { NameSet } from "../../../../xds/resources/name-set.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import { sidecarScopeFor } from "../../../model/scope/sidecar-scope-for.ts";
import { isHttp2 } from "../../../model/service/service.ts";
import { buildApiListener } from "../../../networking/grpc/build-api-listener.ts";
import { candidateHostnames } from "../../../networking/grpc/candidate-hostnames.ts";
import { type Dependencies, only, type PartFamily } from "../../generator.ts";
import { onlyHostnames, sidecarDependencies } from "../dependencies.ts";
import { isServerListenerName } from "./grpc-server-listeners.ts";
import { type ImportedPort, importedPort, importedPorts } from "./imported-port.ts";
import { type NamesPart, namesParts } from "./names-part.ts";

/** The meaning of a name also depends on the client's DNS domain. */
interface ListenerPart extends NamesPart {
  readonly dnsDomain: string;
}

/**
 * LDS for proxyless clients: listeners for the targets of their channels, under the requested names. A name without a
 * service is answered as absent. Then clients fail, or use another control plane.
 */
export function grpcListeners(writer: ProtoWriter): PartFamily<ListenerPart> {
  return {
    name: "grpc",
    parts: (proxy, push, asked) =>
      namesParts(proxy, push, asked).map(({ ref, names }) => ({
        ref,
        names: names === "all" ? names : clientNames(names),
        dnsDomain: proxy.dnsDomain,
      })),
    concerns: only("Service", "Sidecar"),
    dependencies,
    generate: ({ inputs, push }) => ({
      covers: inputs.names,
      resources: listenersAsked(inputs, sidecarScopeFor(inputs.ref, push), writer),
    }),
  };
}

/** Names of servers are another family's. Equal sets give one object: parts count their holders by it. */
const clientNames = oncePer((names: NameSet): NameSet => {
  const own = [...names].filter((name) => !isServerListenerName(name));
  return own.length === names.size ? names : new Set(own);
});

function dependencies({ ref, names, dnsDomain }: ListenerPart, push: PushContext): Dependencies {
  const all = sidecarDependencies(ref, push);
  if (names === "all") return all;
  return onlyHostnames(
    new Set([...names].flatMap((name) => candidateHostnames(parseTarget(name).host, dnsDomain))),
    all,
  );
}

function listenersAsked({ names, dnsDomain }: ListenerPart, scope: SidecarScope, writer: ProtoWriter) {
  if (names === "all") {
    return importedPorts(scope).map((imported) => {
      const name = `${imported.service.hostname}:${imported.port.number}`;
      return buildApiListener({ ...imported, name }, writer);
    });
  }
  return [...names].flatMap((name) => {
    const imported = portForTarget(name, dnsDomain, scope);
    return imported === undefined ? [] : buildApiListener({ ...imported, name }, writer);
  });
}

function portForTarget(name: string, dnsDomain: string, scope: SidecarScope): ImportedPort | undefined {
  const { host, port } = parseTarget(name);
  for (const hostname of candidateHostnames(host, dnsDomain)) {
    for (const number of port === undefined ? preferredPorts(hostname, scope) : [port]) {
      const found = importedPort(hostname, number, scope);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Without a port, the gRPC port is used, else the first port. */
function preferredPorts(hostname: string, scope: SidecarScope): readonly number[] {
  const ports = scope.service(hostname)?.ports ?? [];
  return [...ports.filter((port) => isHttp2(port.protocol)), ...ports].map(({ number }) => number);
}

function parseTarget(name: string): { readonly host: string; readonly port: number | undefined } {
  const [, host = name, port] = /^(.+):(\d+)$/u.exec(name) ?? [];
  return { host, port: port === undefined ? undefined : Number(port) };
}
