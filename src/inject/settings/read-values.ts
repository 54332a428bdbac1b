import { didYouMean } from "../../lib/did-you-mean.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { Fields, Texts } from "../pod.ts";
import {
  defaultSettings,
  type InjectionSettings,
  type LabelExpression,
  type LabelSelector,
  templateNames,
} from "./injection-settings.ts";
import { ValuesReader } from "./values-reader.ts";

export type ReadSettings = { readonly settings: InjectionSettings } | { readonly problems: readonly string[] };

/**
 * Reads Istio's Helm values, as a values file or as the field `values` of the ConfigMap `istio-sidecar-injector`. Fields
 * of other components are ignored. Never throws.
 */
export function readValues(raw: unknown): ReadSettings {
  if (raw !== null && raw !== undefined && !isMapping(raw)) return { problems: ["expected a mapping"] };
  const reader = new ValuesReader(raw ?? {});
  const settings = settingsFrom(reader);
  const problems = [...reader.problems, ...unknownNames(reader)];
  return problems.length === 0 ? { settings } : { problems };
}

function settingsFrom(reader: ValuesReader): InjectionSettings {
  const d = defaultSettings;
  const revision = reader.text("revision", d.revision);
  const templates = reader.texts(webhook("defaultTemplates"));
  const unknown = templates.find((name) => !templateNames.some((known) => known === name));
  if (unknown !== undefined) reader.problems.push(`${webhook("defaultTemplates")}: there is no template ${unknown}`);
  return {
    revision: revision === "default" ? "" : revision,
    istioNamespace: reader.text("global.istioNamespace", d.istioNamespace),
    policy: reader.choice(proxy("autoInject"), ["enabled", "disabled"], d.policy),
    defaultTemplates:
      templates.length === 0 ? d.defaultTemplates : templateNames.filter((name) => templates.includes(name)),
    neverInject: selectorsIn(reader, webhook("neverInjectSelector")),
    alwaysInject: selectorsIn(reader, webhook("alwaysInjectSelector")),
    injectedAnnotations: reader.textMap(webhook("injectedAnnotations")),
    rewritesProbes: reader.flag(webhook("rewriteAppHTTPProbe"), d.rewritesProbes),
    image: {
      hub: reader.text("global.hub", d.image.hub),
      tag: reader.text("global.tag", d.image.tag),
      variant: reader.text("global.variant", d.image.variant),
      proxy: reader.text(proxy("image"), d.image.proxy),
      init: reader.text("global.proxy_init.image", d.image.init),
    },
    pullPolicy: reader.text("global.imagePullPolicy", d.pullPolicy),
    pullSecrets: reader.texts("global.imagePullSecrets"),
    discoveryAddress: reader.text("global.remotePilotAddress", d.discoveryAddress),
    caAddress: reader.text("global.caAddress", d.caAddress),
    tokenAudience: reader.text("global.sds.token.aud", d.tokenAudience),
    trustBundle: reader.text("global.trustBundleName", d.trustBundle) || d.trustBundle,
    domain: reader.text(proxy("clusterDomain"), d.domain),
    cluster: reader.text("global.multiCluster.clusterName", d.cluster) || d.cluster,
    network: reader.text("global.network", d.network),
    meshId: reader.text("global.meshID", d.meshId),
    native:
      reader.choice("pilot.env.ENABLE_NATIVE_SIDECARS", ["true", "false"], String(d.native) as "false") === "true",
    cni: reader.flag("pilot.cni.enabled", d.cni),
    nativeNftables: reader.flag("global.nativeNftables", d.nativeNftables),
    traffic: {
      includeOutboundRanges: reader.text(proxy("includeIPRanges"), d.traffic.includeOutboundRanges),
      excludeOutboundRanges: reader.text(proxy("excludeIPRanges"), d.traffic.excludeOutboundRanges),
      includeOutboundPorts: reader.text(proxy("includeOutboundPorts"), d.traffic.includeOutboundPorts),
      excludeOutboundPorts: reader.text(proxy("excludeOutboundPorts"), d.traffic.excludeOutboundPorts),
      includeInboundPorts: reader.text(proxy("includeInboundPorts"), d.traffic.includeInboundPorts),
      excludeInboundPorts: reader.text(proxy("excludeInboundPorts"), d.traffic.excludeInboundPorts),
    },
    log: {
      proxy: reader.text(proxy("logLevel"), d.log.proxy),
      components: reader.text(proxy("componentLogLevel"), d.log.components),
      agent: reader.text("global.logging.level", d.log.agent),
      asJson: reader.flag("global.logAsJson", d.log.asJson),
    },
    proxy: {
      resources: reader.fields(proxy("resources"), d.proxy.resources),
      lifecycle: reader.fields(proxy("lifecycle"), d.proxy.lifecycle),
      seccompProfile: reader.fields(proxy("seccompProfile"), d.proxy.seccompProfile),
      privileged: reader.flag(proxy("privileged"), d.proxy.privileged),
      bindsLowPorts: reader.flag(proxy("capNetBindService"), d.proxy.bindsLowPorts),
      outlierLogPath: reader.text(proxy("outlierLogPath"), d.proxy.outlierLogPath),
      holdsApplication: reader.flag(proxy("holdApplicationUntilProxyStarts"), d.proxy.holdsApplication),
      readinessInitialDelaySeconds: reader.count(
        proxy("readinessInitialDelaySeconds"),
        d.proxy.readinessInitialDelaySeconds,
      ),
      readinessPeriodSeconds: reader.count(proxy("readinessPeriodSeconds"), d.proxy.readinessPeriodSeconds),
      readinessFailureThreshold: reader.count(proxy("readinessFailureThreshold"), d.proxy.readinessFailureThreshold),
      startupFailureThreshold: reader.flag(proxy("startupProbe.enabled"), true)
        ? reader.count(proxy("startupProbe.failureThreshold"), d.proxy.startupFailureThreshold ?? 0)
        : undefined,
    },
  };
}

function proxy(name: string): string {
  return `global.proxy.${name}`;
}

function webhook(name: string): string {
  return `sidecarInjectorWebhook.${name}`;
}

const operators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

function selectorsIn(reader: ValuesReader, path: string): readonly LabelSelector[] {
  return reader.mappings(path).map((selector, index) => {
    const inner = new ValuesReader(selector);
    const matchLabels: Texts = inner.textMap("matchLabels");
    const matchExpressions = inner.mappings("matchExpressions").map((fields) => expressionFrom(fields, inner));
    for (const problem of inner.problems) reader.problems.push(`${path}[${index}].${problem}`);
    return { matchLabels, matchExpressions };
  });
}

function expressionFrom(fields: Fields, selector: ValuesReader): LabelExpression {
  const inner = new ValuesReader(fields);
  const operator = inner.text("operator", "");
  const known = operators.find((each) => each === operator);
  if (known === undefined) inner.problems.push(`operator: expected ${operators.join(", ")}`);
  const expression = { key: inner.text("key", ""), operator: known ?? "Exists", values: inner.texts("values") };
  for (const problem of inner.problems) selector.problems.push(`matchExpressions: ${problem}`);
  return expression;
}

/** Every field of these sections in Istio's values. The others have no effect here, or concern other components. */
const sections: Readonly<Record<string, readonly string[]>> = {
  "global.proxy": (
    "autoInject capNetBindService clusterDomain componentLogLevel enableCoreDump excludeIPRanges excludeInboundPorts " +
    "excludeOutboundPorts holdApplicationUntilProxyStarts image includeIPRanges includeInboundPorts " +
    "includeOutboundPorts lifecycle logLevel outlierLogPath privileged readinessFailureThreshold " +
    "readinessInitialDelaySeconds readinessPeriodSeconds resources seccompProfile startupProbe statusPort tracer"
  ).split(" "),
  sidecarInjectorWebhook: (
    "alwaysInjectSelector defaultTemplates enableNamespacesByDefault injectedAnnotations neverInjectSelector " +
    "reinvocationPolicy rewriteAppHTTPProbe templates"
  ).split(" "),
};

/** A misspelt field would silently have no effect. */
function unknownNames(reader: ValuesReader): readonly string[] {
  return Object.entries(sections).flatMap(([section, known]) =>
    reader
      .names(section)
      .filter((name) => !known.includes(name))
      .map((name) => {
        const guess = didYouMean(name, known);
        return `${section}.${name}: there is no such field${guess === undefined ? "" : `; did you mean ${guess}?`}`;
      }),
  );
}
