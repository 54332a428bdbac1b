import { expect, test } from "vitest";
import { parseDocuments } from "../../config/yaml/yaml.ts";
import { defaultSettings, type InjectionSettings } from "./injection-settings.ts";
import { readValues } from "./read-values.ts";

function read(yaml: string) {
  return readValues(parseDocuments(yaml, "values.yaml")[0]?.value);
}

test.each(["", "{}", "global: {}", "gateways: {anything: 1}"])("the values %j are the defaults", (yaml) => {
  expect(read(yaml)).toEqual({ settings: defaultSettings });
});

const rows: readonly (readonly [string, Partial<InjectionSettings>])[] = [
  ["{revision: canary}", { revision: "canary" }],
  ["{revision: default}", { revision: "" }],
  [
    "{global: {hub: corp, tag: 1.29, proxy: {image: p}, proxy_init: {image: i}, variant: debug}}",
    { image: { hub: "corp", tag: "1.29", variant: "debug", proxy: "p", init: "i" } },
  ],
  ["{global: {proxy: {autoInject: disabled}}}", { policy: "disabled" }],
  ["{global: {imagePullSecrets: [a], imagePullPolicy: Always}}", { pullSecrets: ["a"], pullPolicy: "Always" }],
  ["{pilot: {cni: {enabled: true}, env: {ENABLE_NATIVE_SIDECARS: 'true'}}}", { cni: true, native: true }],
  [
    "{global: {multiCluster: {clusterName: east}, network: n1, meshID: m}}",
    { cluster: "east", network: "n1", meshId: "m" },
  ],
  ["{global: {remotePilotAddress: 'b:1', caAddress: 'c:2'}}", { discoveryAddress: "b:1", caAddress: "c:2" }],
  [
    "{global: {proxy: {startupProbe: {enabled: false}}}}",
    { proxy: { ...defaultSettings.proxy, startupFailureThreshold: undefined } },
  ],
  [
    "{global: {proxy: {resources: {limits: {cpu: '1'}}}}}",
    { proxy: { ...defaultSettings.proxy, resources: { limits: { cpu: "1" } } } },
  ],
  [
    "{sidecarInjectorWebhook: {neverInjectSelector: [{matchLabels: {a: b}, matchExpressions: [{key: k, operator: In, values: [v]}]}]}}",
    { neverInject: [{ matchLabels: { a: "b" }, matchExpressions: [{ key: "k", operator: "In", values: ["v"] }] }] },
  ],
];

test.each(rows)("the values %s are read", (yaml, expected) => {
  expect(read(yaml)).toEqual({ settings: { ...defaultSettings, ...expected } });
});

test.each([
  ["[]", "expected a mapping"],
  ["{global: {hub: [a]}}", "global.hub: expected a text"],
  ["{global: {proxy: {logLevl: debug}}}", "global.proxy.logLevl: there is no such field; did you mean logLevel?"],
  ["{global: {proxy: {readinessPeriodSeconds: -1}}}", "global.proxy.readinessPeriodSeconds: expected a whole number"],
  ["{pilot: {cni: {enabled: maybe}}}", "pilot.cni.enabled: expected true or false"],
  [
    "{sidecarInjectorWebhook: {neverInjectSelector: [{matchExpressions: [{key: k, operator: Like}]}]}}",
    "sidecarInjectorWebhook.neverInjectSelector[0].matchExpressions: operator: expected In, NotIn, Exists, DoesNotExist",
  ],
  [
    "{sidecarInjectorWebhook: {defaultTemplates: [waypoint]}}",
    "sidecarInjectorWebhook.defaultTemplates: there is no template waypoint",
  ],
])("the values %s are refused: %s", (yaml, problem) => {
  expect(read(yaml)).toEqual({ problems: [problem] });
});
