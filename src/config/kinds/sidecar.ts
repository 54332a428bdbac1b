import { ServerTLSSettings_TLSmode as TlsMode } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import {
  CaptureMode,
  type IstioEgressListener,
  type IstioIngressListener,
  OutboundTrafficPolicy_Mode as PolicyMode,
  type Sidecar,
  type SidecarPort,
  SidecarSchema,
} from "#gen/istio/networking/v1alpha3/sidecar_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isIpAddress, isUnixAddress } from "../grammar/address.ts";
import type { Kind } from "../kind.ts";
import { destination } from "../rules/destination.ts";
import { scopedHost } from "../rules/host.ts";
import { emptySelector, selectorLabels } from "../rules/labels.ts";
import { isTlsProtocol, knownProtocol, portName, portNumber } from "../rules/port.ts";
import { unique } from "../rules/unique.ts";
import { networking, networkingCollection } from "./api-groups.ts";
import { connectionPool } from "./destination-rule/connection-pool.ts";
import { certificates } from "./gateway/server-tls.ts";

export const sidecar: Kind<typeof SidecarSchema> = {
  ...networking,
  kind: "Sidecar",
  plural: "sidecars",
  collection: networkingCollection("sidecars"),
  schema: SidecarSchema,
  validate: ({ spec }) => [
    ...saysSomething(spec),
    ...emptySelector(spec.workloadSelector?.labels, "spec.workloadSelector"),
    ...selectorLabels(spec.workloadSelector?.labels ?? {}, "spec.workloadSelector.labels"),
    ...spec.ingress.flatMap((listener, index) => ingress(listener, fieldPath("spec.ingress", index))),
    ...unique(spec.ingress, "spec.ingress", { what: "the port", field: ["port"], valueOf: ({ port }) => port?.number }),
    ...spec.egress.flatMap((listener, index) => egress(listener, fieldPath("spec.egress", index))),
    ...catchAllLast(spec),
    ...unique(spec.egress, "spec.egress", { what: "the listener", valueOf: egressKey }),
    ...egressProxy(spec),
    ...connectionPool(spec.inboundConnectionPool, "spec.inboundConnectionPool"),
  ],
};

function saysSomething(spec: Sidecar): readonly Finding[] {
  const listeners = spec.ingress.length + spec.egress.length > 0;
  return errorUnless(listeners || (spec.outboundTrafficPolicy ?? spec.inboundConnectionPool) !== undefined, "spec", {
    code: "empty-sidecar",
    message: "a Sidecar needs egress, ingress, outboundTrafficPolicy or inboundConnectionPool",
  });
}

function ingress(listener: IstioIngressListener, path: string): readonly Finding[] {
  const { port, bind, defaultEndpoint, connectionPool: pool } = listener;
  return [
    ...(port === undefined
      ? [error(`${path}.port`, { code: "missing-port", message: "an ingress listener needs a port" })]
      : listenerPort(port, `${path}.port`)),
    ...ingressTls(listener, `${path}.tls`),
    ...errorUnless(bind === "" || isIpAddress(bind), `${path}.bind`, {
      code: "bad-address",
      message: `an ingress listener must bind to an IP address, not "${bind}"`,
    }),
    ...errorUnless(isDefaultEndpoint(defaultEndpoint), `${path}.defaultEndpoint`, {
      code: "bad-address",
      message: `"${defaultEndpoint}" is not an endpoint of the workload itself`,
      hint: "write 127.0.0.1:port, 0.0.0.0:port or unix:///path",
    }),
    ...connectionPool(pool, `${path}.connectionPool`),
  ];
}

/** A sidecar terminates TLS only for TLS protocols, with certificates from files. */
function ingressTls({ tls, port }: IstioIngressListener, path: string): readonly Finding[] {
  if (tls === undefined) return [];
  const fetched = tls.credentialName !== "" || tls.credentialNames.length + tls.tlsCertificates.length > 0;
  const beyond = fetched || tls.httpsRedirect || tls.subjectAltNames.length > 0;
  const modes = [TlsMode.SIMPLE, TlsMode.MUTUAL, TlsMode.OPTIONAL_MUTUAL, TlsMode.PASSTHROUGH];
  return [
    ...errorUnless(isTlsProtocol(port?.protocol ?? ""), path, {
      code: "useless-tls",
      message: "only a port for HTTPS or TLS can have tls",
    }),
    ...errorUnless(modes.includes(tls.mode), `${path}.mode`, {
      code: "unsupported-field",
      message: `a sidecar cannot serve with ${TlsMode[tls.mode]}`,
    }),
    ...errorUnless(!beyond, path, {
      code: "unsupported-field",
      message: "tls of a sidecar supports certificate files only, and neither httpsRedirect nor subjectAltNames",
    }),
    ...certificates(tls, path),
  ];
}

function isDefaultEndpoint(text: string): boolean {
  if (text === "" || isUnixAddress(text)) return true;
  const port = /^(?:127\.0\.0\.1|0\.0\.0\.0|\[::1\]|\[::\])?:(?<port>\d+)$/u.exec(text)?.groups?.["port"];
  return port !== undefined && portNumber(Number(port), "").length === 0;
}

const hostRule = { namespaces: ["*", ".", "~"], namespaceRequired: true, addresses: false };

/** Name and protocol are optional: without a protocol the proxy detects it. */
function listenerPort(port: SidecarPort, path: string): readonly Finding[] {
  return [...portNumber(port.number, `${path}.number`), ...portDescription(port, path)];
}

function portDescription({ name, protocol, targetPort }: SidecarPort, path: string): readonly Finding[] {
  return [
    ...(name === "" ? [] : portName(name, `${path}.name`)),
    ...(protocol === "" ? [] : knownProtocol(protocol, `${path}.protocol`)),
    ...errorUnless(targetPort === 0, `${path}.targetPort`, {
      code: "unsupported-field",
      message: "targetPort has no effect in a Sidecar",
    }),
  ];
}

/** A listener has a port number and an optional address, or else a socket. */
function egressPort(port: SidecarPort, bind: string, path: string): readonly Finding[] {
  if (!isUnixAddress(bind)) return listenerPort(port, path);
  return [
    ...errorUnless(port.number === 0, `${path}.number`, {
      code: "bad-port",
      message: "a listener on a unix socket has no port number",
    }),
    ...portDescription(port, path),
  ];
}

function egress({ port, bind, captureMode, hosts }: IstioEgressListener, path: string): readonly Finding[] {
  const unix = isUnixAddress(bind);
  return [
    ...errorUnless(hosts.length > 0, `${path}.hosts`, {
      code: "missing-host",
      message: "an egress listener needs a host",
    }),
    ...hosts.flatMap((host, index) => scopedHost(host, fieldPath(path, "hosts", index), hostRule)),
    ...(port === undefined ? [] : egressPort(port, bind, `${path}.port`)),
    ...errorUnless(bind === "" || unix || isIpAddress(bind), `${path}.bind`, {
      code: "bad-address",
      message: `an egress listener cannot bind to "${bind}"`,
      hint: "write an IP address or unix:///path",
    }),
    ...errorUnless(!unix || port !== undefined, `${path}.bind`, {
      code: "missing-port",
      message: "a listener on a unix socket needs a port",
    }),
    ...errorUnless(!unix || captureMode !== CaptureMode.IPTABLES, `${path}.captureMode`, {
      code: "bad-capture-mode",
      message: "traffic to a unix socket cannot be captured",
    }),
  ];
}

/** The listener for all other ports must be the last one. */
function catchAllLast({ egress }: Sidecar): readonly Finding[] {
  const index = egress.findIndex(({ port }) => port === undefined);
  return errorUnless(index === -1 || index === egress.length - 1, fieldPath("spec.egress", index), {
    code: "misplaced-listener",
    message: "only the last egress listener may have no port",
  });
}

function egressKey({ port, bind }: IstioEgressListener): string | undefined {
  if (port === undefined) return undefined;
  return isUnixAddress(bind) ? bind : String(port.number);
}

function egressProxy({ outboundTrafficPolicy }: Sidecar): readonly Finding[] {
  const proxy = outboundTrafficPolicy?.egressProxy;
  if (proxy === undefined) return [];
  const path = "spec.outboundTrafficPolicy";
  return [
    ...errorUnless(outboundTrafficPolicy?.mode === PolicyMode.ALLOW_ANY, `${path}.mode`, {
      code: "conflicting-fields",
      message: "an egressProxy needs the mode ALLOW_ANY",
    }),
    ...destination(proxy, `${path}.egressProxy`),
    ...errorUnless(!proxy.host.startsWith("*"), `${path}.egressProxy.host`, {
      code: "bad-host",
      message: `"${proxy.host}" is not one host`,
    }),
    ...errorUnless(proxy.port !== undefined, `${path}.egressProxy.port`, {
      code: "missing-port",
      message: "an egressProxy needs a port",
    }),
  ];
}
