import { beside, fieldsOf, isSet, type KnownDifference, mapping, type Values } from "./known-difference.ts";

/** A patch, by its part: the object, its spec, the list and the patch are around the part. */
function patch(said: string, isOdd: (patch: Readonly<Record<string, unknown>>) => boolean): Values {
  return { said, hold: (_, __, around) => isOdd(fieldsOf(around[3])) };
}

const targets = new Set([
  "/Service",
  "core/Service",
  "networking.istio.io/ServiceEntry",
  "gateway.networking.k8s.io/Gateway",
  "gateway.networking.k8s.io/GatewayClass",
]);

/** These patches change no listener. */
function isUncheckedTarget(applyTo: unknown): boolean {
  return applyTo === "EXTENSION_CONFIG" || applyTo === "BOOTSTRAP";
}

/** Combinations of fields that only one of both refuses. */
export const combinationDifferences: readonly KnownDifference[] = [
  {
    type: "ours",
    kinds: ["AuthorizationPolicy", "PeerAuthentication"],
    code: "empty-list",
    fields: ["rules[].from", "rules[].to", "portLevelMtls"],
    values: { said: "an empty list or mapping", hold: (value) => ["[]", "{}"].includes(JSON.stringify(value)) },
    reason:
      "Istio means to refuse it, but its reader takes an empty list for a missing one. An empty list would match everything.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "conflicting-fields",
    fields: ["**.tls"],
    values: mapping("certificates with the mode ISTIO_MUTUAL", ({ mode, ...tls }) => {
      const certificates = ["clientCertificate", "privateKey", "caCertificates", "credentialName"];
      return mode === "ISTIO_MUTUAL" && certificates.some((field) => isSet(tls[field]));
    }),
    reason: "This mode uses the certificates of the mesh. The named ones would be ignored silently.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "useless-tls",
    fields: ["**.tls"],
    values: mapping("certificates with the mode DISABLE", ({ mode }) => (mode ?? "DISABLE") === "DISABLE"),
    reason: "An author who names certificates does not expect plaintext.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "conflicting-fields",
    fields: ["**.tls.insecureSkipVerify"],
    values: beside("in the modes DISABLE and ISTIO_MUTUAL", ({ mode }) => mode !== "SIMPLE" && mode !== "MUTUAL"),
    reason:
      "Istio refuses it for SIMPLE and MUTUAL only. In the other modes the check that the author names does not happen either.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "conflicting-fields",
    fields: ["**.outlierDetection.consecutiveErrors"],
    values: beside("beside the counters that replaced it", (counters) => {
      return isSet(counters["consecutive5xxErrors"]) || isSet(counters["consecutiveGatewayErrors"]);
    }),
    reason: "Either counter would be ignored silently.",
  },
  {
    type: "ours",
    kinds: ["Gateway", "Sidecar"],
    code: "conflicting-fields",
    fields: ["**.tls"],
    values: mapping("a certificate without its key, or a key alone, beside a credential", (tls) => {
      const credentials = ["credentialName", "credentialNames", "tlsCertificates"].some((field) => isSet(tls[field]));
      return credentials && isSet(tls["serverCertificate"]) !== isSet(tls["privateKey"]);
    }),
    reason: "The official command counts files only in pairs. The single file would be ignored silently.",
  },
  {
    type: "ours",
    kinds: ["Gateway", "Sidecar"],
    code: "conflicting-fields",
    fields: ["**.tls.caCrl"],
    values: beside("beside a credential", (tls) => isSet(tls["credentialName"]) || isSet(tls["credentialNames"])),
    reason: "The official command means to refuse it, but returns before the check if there is a credential.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "conflicting-fields",
    fields: ["http[]"],
    values: mapping("directResponse beside delegate", ({ directResponse, delegate }) => {
      return directResponse !== undefined && delegate !== undefined;
    }),
    reason: "The proxy answers each request itself, so that the other VirtualService never gets one.",
  },
  {
    type: "ours",
    kinds: ["EnvoyFilter"],
    code: "bad-match",
    fields: ["configPatches[].match"],
    values: mapping("a waypoint match without the context WAYPOINT, or the reverse", ({ context, waypoint }) => {
      return (context === "WAYPOINT") !== (waypoint !== undefined);
    }),
    reason: "Such a patch never applies. The official command does not check patches of waypoints.",
  },
  {
    type: "ours",
    kinds: ["EnvoyFilter"],
    code: "bad-match",
    fields: [
      "configPatches[].match.listener",
      "configPatches[].match.cluster",
      "configPatches[].match.routeConfiguration",
      "configPatches[].match.listener.filterChain.filter.*",
    ],
    values: patch("a patch of LISTENER_FILTER, or in the context WAYPOINT", ({ applyTo, match }) => {
      return applyTo === "LISTENER_FILTER" || fieldsOf(match)["context"] === "WAYPOINT";
    }),
    reason: "Such a patch never applies. The official command checks neither LISTENER_FILTER nor the context WAYPOINT.",
  },
  {
    type: "ours",
    kinds: ["EnvoyFilter"],
    code: "bad-match",
    fields: ["configPatches[].match.listener.filterChain.filter.*"],
    values: patch("a patch of EXTENSION_CONFIG or BOOTSTRAP", ({ applyTo }) => isUncheckedTarget(applyTo)),
    reason: "Such a match has no effect. The official command checks the match of other patches only.",
  },
  {
    type: "ours",
    kinds: ["EnvoyFilter"],
    code: "missing-value",
    fields: [
      "configPatches[].match.listener.filterChain.filter.name",
      "configPatches[].match.listener.filterChain.filter.subFilter.name",
    ],
    values: {
      said: "nothing, in a patch of EXTENSION_CONFIG, BOOTSTRAP or LISTENER_FILTER",
      hold: (value, _, around) => {
        const { applyTo } = fieldsOf(around[3]);
        return !isSet(value) && (isUncheckedTarget(applyTo) || applyTo === "LISTENER_FILTER");
      },
    },
    reason: "Such a match has no effect. The official command checks the match of other patches only.",
  },
  {
    type: "ours",
    kinds: ["EnvoyFilter"],
    code: "missing-value",
    fields: ["configPatches[].applyTo", "configPatches[].patch", "configPatches[].patch.*"],
    values: { said: "nothing, in the context WAYPOINT", hold: (value) => value === undefined || value === "INVALID" },
    reason: "The official command does not check patches of waypoints.",
  },
  {
    type: "ours",
    kinds: ["EnvoyFilter"],
    code: "bad-target",
    fields: ["targetRefs[].kind", "targetRefs[].namespace"],
    values: beside("an impossible target, or one in another namespace", ({ group = "", kind, namespace }) => {
      return !targets.has(`${String(group)}/${String(kind)}`) || isSet(namespace);
    }),
    reason: "The official command checks the targets of all kinds but this one.",
  },
  {
    type: "ours",
    kinds: ["EnvoyFilter"],
    code: "missing-value",
    fields: ["targetRefs[].name"],
    values: { said: "nothing", hold: (value) => value === undefined || value === "" },
    reason: "The official command checks the targets of all kinds but this one.",
  },
  {
    type: "ours",
    kinds: ["Sidecar"],
    code: "missing-port",
    fields: ["egress[].bind"],
    values: beside("a unix socket without a port", ({ port }) => port === undefined),
    reason: "The official command checks the address of a listener only if it has a port.",
  },
  {
    type: "ours",
    kinds: ["Telemetry"],
    code: "missing-value",
    fields: ["tracing[].customTags.*", "tracing[].customTags.*.formatter.value"],
    values: { said: "nothing", hold: (value) => value === undefined || value === "" || JSON.stringify(value) === "{}" },
    reason: "Such a tag has no value, and Envoy rejects the listener.",
  },
  {
    type: "theirs",
    kinds: ["DestinationRule", "EnvoyFilter", "Gateway", "RequestAuthentication", "Sidecar"],
    message:
      /^cannot parse proto message: unknown field "(?:backendUtilization|transportSocket|ecdhCurves|presence)" in istio\./u,
    said: "objects with `backendUtilization`, `transportSocket`, `ecdhCurves` or `presence`",
    reason: "The API has these fields since a later version than the compared one.",
  },
  {
    type: "theirs",
    kinds: ["EnvoyFilter"],
    message: /^cannot parse proto message: unknown field "(?:workloadLabels|filters)" in istio\.networking/u,
    said: "objects with `workloadLabels` or `filters`",
    reason: "Old versions had these fields. Binnacle reads them, warns, and passes them on to old peers.",
  },
  {
    type: "theirs",
    kinds: ["EnvoyFilter"],
    message:
      /^(?:referenced type unknown.*: )?Envoy filter: (?:json: cannot unmarshal|can't unmarshal Any|could not resolve Any|Any JSON doesn't|bad Duration: )/u,
    said: "patches whose value is not a message of Envoy",
    reason:
      "Binnacle compares a patch with Envoy's messages where it applies the patch, leaves out that patch alone, and reports it in the status.",
  },
  {
    type: "theirs",
    kinds: ["WorkloadGroup"],
    message: /^unknown health check method \*v1alpha3\.ReadinessProbe_Grpc$/u,
    said: "probes with `grpc`",
    reason: "The API has this field, and the agent supports it. The official command forgot it.",
  },
];
