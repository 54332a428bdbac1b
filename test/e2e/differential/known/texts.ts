import { beside, fieldsOf, isSet, type KnownDifference, name, text, textThat } from "./known-difference.ts";

/** Other names and texts that Binnacle refuses and istioctl accepts. */
export const textDifferences: readonly KnownDifference[] = [
  {
    type: "ours",
    kinds: ["DestinationRule", "ServiceEntry", "VirtualService"],
    code: "bad-host",
    fields: ["host", "hosts[]", "**.destination.host", "http[].mirror.host", "**.sniHosts[]"],
    values: text("a last label of digits only", /^(?:.*\.)?\d+\.?$/u),
    reason: "Clients and Envoy read such a name as an address, not as a host.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "bad-host",
    fields: ["**.tls.sni"],
    values: textThat(
      "a zero byte, or more than 255 bytes",
      (each) => each.includes("\0") || Buffer.byteLength(each) > 255,
    ),
    reason: "TLS cannot send such a server name, and Envoy rejects the cluster.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule", "ServiceEntry", "VirtualService"],
    code: "bad-export-to",
    fields: ["exportTo[]"],
    values: text("capital letters", /[A-Z]/u),
    reason: "Kubernetes has no namespace with capital letters.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-gateway",
    fields: ["gateways[]", "**.match[].gateways[]"],
    values: textThat("neither `namespace/name` nor a DNS name", (each) => !isReference(each)),
    reason:
      "The official command stops after the first name without a slash, and checks no others. No Gateway has such a name.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "foreign-host",
    fields: ["tls[].match[].sniHosts[]"],
    values: text("an IP address", /^[\d.]+$|:/u),
    reason: "Clients send no address as a server name (SNI), so the match never applies. The official command warns.",
  },
  {
    type: "ours",
    kinds: "all",
    code: "bad-address",
    fields: [
      "addresses[]",
      "endpoints[].address",
      "address",
      "**.*pBlocks[]",
      "**.bind",
      "**.values[]",
      "**.notValues[]",
    ],
    values: text("an IPv6 address with a zone, as in `fe80::1%eth0`", /^[\da-f:.]+%/iu),
    reason: "Envoy rejects an address with a zone.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-host",
    fields: ["hosts[]"],
    values: text("an IPv6 address with a zone, as in `fe80::1%eth0`", /^[\da-f:.]+%/iu),
    reason: "No request has such a host: a zone has a meaning only on one machine.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "bad-host",
    fields: ["**.tunnel.targetHost"],
    values: text("an IPv6 address with a zone, as in `fe80::1%eth0`", /^[\da-f:.]+%/iu),
    reason: "Envoy reads the percent sign as the start of a command, and rejects the listener.",
  },
  {
    type: "ours",
    kinds: ["ServiceEntry", "WorkloadEntry"],
    code: "bad-address",
    fields: ["endpoints[].address", "address"],
    values: text("a name with a last label of digits only", /^(?!(?:\d+\.){3}\d+$)(?:.*\.)?\d+\.?$/u),
    reason: "Clients and Envoy read such a name as an address, and it is none.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-origin",
    fields: ["http[].corsPolicy.allowOrigin[]"],
    values: textThat(
      "neither `*` nor an origin",
      (each) => each !== "*" && !/^https?:\/\/[\w.-]+(?::\d+)?$/u.test(each),
    ),
    reason: "The official command does not check this old field. No browser sends such an origin.",
  },
  {
    type: "ours",
    kinds: ["Sidecar", "ServiceEntry", "WorkloadEntry", "Gateway"],
    code: "bad-address",
    fields: ["ingress[].defaultEndpoint", "egress[].bind", "servers[].bind", "endpoints[].address", "address"],
    values: text(
      "a socket with a line break or another control character, or over 107 bytes",
      /^unix:\/\/(?:.*[\p{Cc}\u2028\u2029]|.{108})/su,
    ),
    reason: "The kernel has no longer paths of sockets, and Envoy rejects the listener.",
  },
  {
    type: "ours",
    kinds: ["Sidecar"],
    code: "bad-address",
    fields: ["egress[].bind"],
    values: beside("neither an address nor a socket, without a port", ({ port }) => port === undefined),
    reason: "The official command checks the address of a listener only if it has a port.",
  },
  {
    type: "ours",
    kinds: ["Sidecar"],
    code: "bad-port",
    fields: ["egress[].port.number"],
    values: {
      said: "nothing, beside a socket with a line break or another control character",
      hold: (value, _, around) =>
        !isSet(value) && /[\p{Cc}\u2028\u2029]/u.test(String(fieldsOf(around.at(-2))["bind"])),
    },
    reason: "Envoy rejects the listener for such a socket.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-address",
    fields: ["tcp[].match[].sourceSubnet", "tls[].match[].sourceSubnet"],
    values: textThat(
      "neither an address nor a subnet",
      (each) => !/^(?:\d+\.){3}\d+(?:\/\d+)?$|^[\da-f]*:[\da-f:]+(?:\/\d+)?$/iu.test(each),
    ),
    reason: "The official command does not check this field, and Envoy would reject the listener.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "bad-locality",
    fields: ["**.distribute[].from", "**.distribute[].to.*"],
    values: {
      said: "a `*` within a part",
      hold: (value, key) => /[^/]\*|\*[^/]/u.test(String(typeof value === "string" ? value : key)),
    },
    reason: "A `*` stands for a whole part of a locality. Beside other characters it would match nothing.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule", "Gateway", "Sidecar"],
    code: "bad-value",
    fields: ["**.tls.*", "**.tls.tlsCertificates[].*"],
    values: textThat("a path with a zero byte, a name over 255 bytes, or over 4095 bytes", isOddPath),
    reason: "No file has such a path, and Envoy rejects the listener or cluster.",
  },
  {
    type: "ours",
    kinds: ["Gateway", "Sidecar"],
    code: "bad-value",
    fields: ["**.tls.verifyCertificateHash[]"],
    values: textThat("not 64 hexadecimal digits", (each) => !/^(?:[\da-f]{2}:?){32}$/iu.test(each)),
    reason: "Envoy rejects the whole listener.",
  },
  {
    type: "ours",
    kinds: ["Gateway", "Sidecar"],
    code: "bad-value",
    fields: ["**.tls.verifyCertificateSpki[]"],
    values: textThat("not the base64 of 32 bytes", (each) => !/^[\w+/]{43}=$/u.test(each)),
    reason: "Envoy rejects the whole listener.",
  },
  {
    type: "ours",
    kinds: ["WasmPlugin", "TrafficExtension"],
    code: "bad-url",
    fields: ["url", "wasm.url"],
    values: textThat("no host, or one with odd characters", (each) => !isModule.test(each)),
    reason: "Nothing can be fetched from such a URL. With `failStrategy: FAIL_CLOSE` all requests would fail.",
  },
  {
    type: "ours",
    kinds: ["RequestAuthentication"],
    code: "bad-url",
    fields: ["jwtRules[].jwksUri"],
    values: textThat("no host", (each) => !/^https?:\/\/[\w.[\]:-]+(?:$|[/?#])/iu.test(each)),
    reason: "No keys can be fetched from such a URL, so every token would be refused.",
  },
  {
    type: "ours",
    kinds: ["RequestAuthentication"],
    code: "bad-jwks",
    fields: ["jwtRules[].jwks"],
    values: text("JSON without `keys` and `kty`", /^(?!.*"(?:keys|kty)")/su),
    reason: "Envoy rejects the whole listener for a text without keys.",
  },
  {
    type: "ours",
    kinds: ["RequestAuthentication", "WorkloadGroup"],
    code: "empty-value",
    fields: ["jwtRules[].spaceDelimitedClaims[]", "probe.exec.command[]"],
    values: text("an empty text", /^$/u),
    reason: "No claim has this name, and no program takes this as its name.",
  },
  {
    type: "ours",
    kinds: ["WorkloadGroup"],
    code: "bad-name",
    fields: ["template.ports.*"],
    values: name("a key that is no DNS label", (each) => !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/iu.test(each)),
    reason: "The official command checks ports of a WorkloadEntry, but not those of a group, which become entries.",
  },
  {
    type: "ours",
    kinds: ["AuthorizationPolicy"],
    code: "unknown-attribute",
    fields: ["rules[].when[].key"],
    values: text(
      "characters between the attribute and its bracket, or control characters",
      /^[\w.]+[^\w.[]+.*\[|^request\.(?:headers|auth\.claims)[\w.]+\[|\p{Cc}/su,
    ),
    reason: "istiod accepts the key and then leaves the rule out, so that the policy does not apply as written.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-regex",
    fields: ["**.regex", "**.match"],
    values: text("a character above U+00FF as an escape or in a class", /\\x\{|\\p|[^\0-\u00ff]|\\C|\\Q/u),
    reason: "Envoy matches single bytes, and rejects the whole route configuration for a longer character.",
  },
  {
    type: "ours",
    kinds: ["Telemetry"],
    code: "bad-expression",
    fields: ["accessLogging[].filter.expression"],
    values: textThat("any other text than a known good one", (each) => !goodExpressions.has(each)),
    reason:
      "The official command reads CEL as Go does. Envoy's grammar and functions are fewer, and it rejects the listener.",
  },
];

const goodExpressions = new Set([
  "has(request.headers.a) && size(request.path) > 1",
  "response.code >= 400 || request.path.matches('^/a')",
  "response.code >= 400",
]);

const isModule = /^(?:[a-z]+:\/\/)?(?![a-z]+:\/)[\w*][\w.*-]*(?::\d+)?(?:$|[/?])/iu;

const dnsLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/iu;

function isReference(reference: string): boolean {
  const [first = "", second, ...more] = reference.split("/");
  if (second !== undefined)
    return more.length === 0 && (first === "." || dnsLabel.test(first)) && dnsLabel.test(second);
  const labels = first.replace(/\.$/u, "").split(".");
  return labels.every((label) => dnsLabel.test(label)) && !/^\d+$/u.test(labels.at(-1) ?? "");
}

function isOddPath(path: string): boolean {
  return (
    path.includes("\0") ||
    Buffer.byteLength(path) > 4095 ||
    path.split("/").some((each) => Buffer.byteLength(each) > 255)
  );
}
