import { type KnownDifference, longerThan, name, text, textThat, type Values } from "./known-difference.ts";

const labelName = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/u;
const labelValue = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/u;
const oddLabel: Values = {
  said: "a key or a value that Kubernetes refuses as a label",
  hold: (value, key) => typeof value === "string" && !(labelName.test(String(key)) && labelValue.test(value)),
};

const header = /^[\w!#$%&'*+.^`|~-]{1,16384}$/u;
const noHeader = "not a token of HTTP, or over 16384 bytes";
const control = text("a control character", /\p{Cc}/u);

const knownCommands = /^(?:[^%]|%%|%(?:REQ|RESP)\([\w:-]+\)%|%(?:PROTOCOL|START_TIME|HOSTNAME|\w+STREAM_\w+)%)*$/su;

/** Labels and headers that Binnacle refuses and istioctl accepts. */
export const headerDifferences: readonly KnownDifference[] = [
  {
    type: "ours",
    kinds: "all",
    code: "bad-label",
    fields: [
      "selector.matchLabels.*",
      "selector.*",
      "workloadSelector.labels.*",
      "workloadSelector.matchLabels.*",
      "workloadLabels.*",
      "**.labels.*",
      "**.sourceLabels.*",
    ],
    values: oddLabel,
    reason: "No workload can have such a label. The selector would select nothing, so that a policy protects nothing.",
  },
  {
    type: "ours",
    kinds: "all",
    code: "bad-key",
    fields: ["**"],
    values: { said: "the key `__proto__`", hold: (_, key) => key === "__proto__" },
    reason: "No label, header or port has this name, and programs in JavaScript may read it as something else.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-header",
    fields: [
      "http[].headers.*.*.*",
      "http[].headers.*.remove[]",
      "http[].route[].headers.*.*.*",
      "http[].route[].headers.*.remove[]",
      "http[].match[].headers.*",
      "http[].match[].withoutHeaders.*",
      "http[].corsPolicy.allowHeaders[]",
      "http[].corsPolicy.exposeHeaders[]",
    ],
    values: name(noHeader, (each) => !header.test(each) && !/^(?::|@request\.auth\.claims[.[])/u.test(each)),
    reason: "Envoy rejects the whole route configuration for such a header.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-header",
    fields: [
      "http[].headers.*.*.*",
      "http[].headers.*.remove[]",
      "http[].route[].headers.*.*.*",
      "http[].route[].headers.*.remove[]",
    ],
    values: name("a claim, `@request.auth.claims…`", (each) => each.startsWith("@request.auth.claims")),
    reason: "Only a match knows claims. Envoy rejects the whole route configuration for such a header.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-header",
    fields: ["http[].match[].headers.*", "http[].match[].withoutHeaders.*"],
    values: name("a claim with an empty part", (each) => /^@request\.auth\.claims\.(?:\.|.*\.(?:\.|$))/u.test(each)),
    reason: "No token has such a claim, so that the match would never apply.",
  },
  {
    type: "ours",
    kinds: ["RequestAuthentication"],
    code: "bad-header",
    fields: ["jwtRules[].fromHeaders[].name", "jwtRules[].outputClaimToHeaders[].header"],
    values: textThat(noHeader, (each) => !header.test(each)),
    reason: "No request can have such a header, and Envoy rejects the listener.",
  },
  {
    type: "ours",
    kinds: ["WorkloadGroup"],
    code: "bad-header",
    fields: ["probe.httpGet.httpHeaders[].name"],
    values: longerThan(16_384),
    reason: "Envoy allows no longer headers.",
  },
  {
    type: "ours",
    kinds: ["VirtualService", "DestinationRule"],
    code: "bad-header",
    fields: [
      "http[].redirect.*",
      "http[].rewrite.**",
      "http[].headers.*.*.*",
      "http[].route[].headers.*.*.*",
      "**.consistentHash.**",
    ],
    values: control,
    reason: "Envoy rejects a header with control characters, and with it the whole route configuration or cluster.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-header",
    fields: ["http[].headers.*.*.*", "http[].route[].headers.*.*.*"],
    values: textThat(
      "a command that Envoy does not have",
      (each) => /%[^%]+%/su.test(each) && !knownCommands.test(each),
    ),
    reason:
      "The official command reads only the percent signs. Envoy rejects an unknown command, and with it the whole route configuration.",
  },
  {
    type: "ours",
    kinds: "all",
    code: "too-long",
    fields: ["**.headers.*.*.*", "**.redirect.*", "**.rewrite.*", "**.consistentHash.**"],
    values: longerThan(16_384),
    reason: "Envoy allows no longer headers.",
  },
];
