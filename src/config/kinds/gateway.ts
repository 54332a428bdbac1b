import { GatewaySchema, type Port, type Server } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isIpAddress, isUnixAddress } from "../grammar/address.ts";
import { isDnsLabel } from "../grammar/names.ts";
import type { Kind } from "../kind.ts";
import { scopedHost } from "../rules/host.ts";
import { selectorLabels } from "../rules/labels.ts";
import { knownProtocol, portNumber } from "../rules/port.ts";
import { unique } from "../rules/unique.ts";
import { networking, networkingCollection } from "./api-groups.ts";
import { serverTls } from "./gateway/server-tls.ts";

export const gateway: Kind<typeof GatewaySchema> = {
  ...networking,
  kind: "Gateway",
  plural: "gateways",
  collection: networkingCollection("gateways"),
  schema: GatewaySchema,
  validate: ({ name, spec: { servers, selector } }) => [
    ...errorUnless(isDnsLabel(name), "metadata.name", {
      code: "bad-name",
      message: `a VirtualService cannot refer to a Gateway named "${name}"`,
      hint: "use at most 63 letters, digits and dashes, no dots",
    }),
    ...errorUnless(servers.length > 0, "spec.servers", { code: "missing-server", message: "a Gateway needs a server" }),
    ...servers.flatMap((value, index) => server(value, fieldPath("spec.servers", index))),
    ...unique(servers, "spec.servers", {
      what: "the port name",
      field: ["port", "name"],
      valueOf: ({ port }) => port?.name || undefined,
    }),
    ...selectorLabels(selector, "spec.selector"),
  ],
};

const hostRule = { namespaces: ["*", "."], namespaceRequired: false, addresses: true };

function server(value: Server, path: string): readonly Finding[] {
  const { port, hosts, bind } = value;
  return [
    ...errorUnless(hosts.length > 0, `${path}.hosts`, { code: "missing-host", message: "a server needs a host" }),
    ...hosts.flatMap((host, index) => scopedHost(host, fieldPath(path, "hosts", index), hostRule)),
    ...(port === undefined
      ? [error(`${path}.port`, { code: "missing-port", message: "a server needs a port" })]
      : [...serverPort(port, bind, `${path}.port`), ...serverTls(value, port, path)]),
    ...errorUnless(bind === "" || isIpAddress(bind) || isUnixAddress(bind), `${path}.bind`, {
      code: "bad-address",
      message: `a server cannot listen on "${bind}"`,
      hint: "write an IP address or unix:///path",
    }),
  ];
}

function serverPort({ number, protocol, name, targetPort }: Port, bind: string, path: string): readonly Finding[] {
  return [
    ...(isUnixAddress(bind)
      ? errorUnless(number === 0, `${path}.number`, {
          code: "bad-port",
          message: "a server on a unix socket has no port number",
        })
      : portNumber(number, `${path}.number`)),
    ...errorUnless(targetPort === 0, `${path}.targetPort`, {
      code: "unsupported-field",
      message: "targetPort has no effect in a Gateway",
    }),
    ...knownProtocol(protocol, `${path}.protocol`),
    ...errorUnless(name !== "", `${path}.name`, { code: "missing-name", message: "the port of a server needs a name" }),
  ];
}
