import { didYouMean } from "../../../lib/did-you-mean.ts";
import type { Config } from "../../config.ts";
import { fieldPath } from "../../field-path.ts";
import { isIpAddress } from "../../grammar/address.ts";
import type { Kind } from "../../kind.ts";
import { deployment, namespace, pod, service } from "../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { injectLabel } from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";
import { knownAnnotations } from "./known-annotations.ts";

const inputs: readonly Kind[] = [namespace, service, pod, deployment];

export const annotationAnalyzer: Analyzer = {
  name: "annotations.K8sAnalyzer",
  description: "Istio's annotations on Kubernetes' objects: unknown, on the wrong kind, deprecated, or with bad values",
  inputs,
  analyze(context) {
    for (const kind of inputs) {
      for (const config of context.all(kind)) checkAnnotations(config, context);
    }
  },
};

function checkAnnotations(config: Config, context: AnalysisContext): void {
  for (const [annotation, value] of Object.entries(config.annotations)) {
    if (!isIstios(annotation)) continue;
    const about = { config, path: fieldPath("metadata.annotations", annotation) };
    const known = knownAnnotations.get(annotation);
    if (known === undefined) {
      const meant = didYouMean(annotation, [...knownAnnotations.keys()]);
      const hint = meant === undefined ? "" : `: did you mean ${meant}?`;
      context.report(messages.unknownAnnotation, about, { annotation, hint });
      continue;
    }
    if (known.deprecated && !isReplaced(annotation, config)) {
      const hint = known.instead === undefined ? "" : `: ${known.instead}`;
      context.report(messages.deprecatedAnnotation, about, { annotation, hint });
    }
    if (known.on.includes("Any")) continue;
    const detail = annotationProblem(annotation, value);
    if (!known.on.includes(config.kind)) {
      context.report(messages.misplacedAnnotation, about, { annotation, kinds: known.on.join(", ") });
    } else if (detail !== undefined) {
      context.report(messages.invalidAnnotation, about, { annotation, detail });
    }
  }
}

/** The Ingress class annotation belongs to Kubernetes, but Istio reads and documents it. */
function isIstios(annotation: string): boolean {
  const [domain = ""] = annotation.split("/");
  return annotation === "kubernetes.io/ingress.class" || domain === "istio.io" || domain.endsWith(".istio.io");
}

/** An author who also set the label keeps the annotation for older versions on purpose. */
function isReplaced(annotation: string, { labels }: Config): boolean {
  return annotation === injectLabel && labels[injectLabel] !== undefined;
}

/** The problem with the value of an injector annotation; undefined if the value is valid or has no check. */
function annotationProblem(annotation: string, value: string): string | undefined {
  return checks.get(annotation)?.(value);
}

type Check = (value: string) => string | undefined;

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["prometheus.istio.io/merge-metrics", isBoolean],
  ["readiness.status.sidecar.istio.io/failureThreshold", isWholeNumber],
  ["readiness.status.sidecar.istio.io/initialDelaySeconds", isWholeNumber],
  ["readiness.status.sidecar.istio.io/periodSeconds", isWholeNumber],
  ["sidecar.istio.io/interceptionMode", isInterceptionMode],
  ["sidecar.istio.io/rewriteAppHTTPProbers", isBoolean],
  ["status.sidecar.istio.io/port", (value) => isPort(value.trim())],
  ["traffic.sidecar.istio.io/excludeInboundPorts", isPortList],
  ["traffic.sidecar.istio.io/excludeOutboundIPRanges", isRangeList],
  ["traffic.sidecar.istio.io/excludeOutboundPorts", isPortList],
  ["traffic.sidecar.istio.io/includeInboundPorts", orAll(isPortList)],
  ["traffic.sidecar.istio.io/includeOutboundIPRanges", orAll(isRangeList)],
  ["traffic.sidecar.istio.io/includeOutboundPorts", orAll(isPortList)],
]);

function orAll(check: Check): Check {
  return (value) => (value === "*" ? undefined : check(value));
}

function isBoolean(value: string): string | undefined {
  return /^(?:1|t|true|0|f|false)$/iu.test(value) ? undefined : `"${value}" is neither true nor false`;
}

function isWholeNumber(value: string): string | undefined {
  return /^\d{1,9}$/u.test(value) ? undefined : `"${value}" is not a whole number`;
}

function isInterceptionMode(value: string): string | undefined {
  const modes = ["NONE", "REDIRECT", "TPROXY"];
  return modes.includes(value) ? undefined : `"${value}" is none of ${modes.join(", ")}`;
}

function isPort(value: string): string | undefined {
  return /^\d{1,5}$/u.test(value) && Number(value) <= 65_535 ? undefined : `"${value}" is not a port`;
}

function isPortList(value: string): string | undefined {
  return firstProblem(value, isPort);
}

function isRangeList(value: string): string | undefined {
  return firstProblem(value, (range) => {
    const [address = "", length, ...rest] = range.split("/");
    const bits = address.includes(":") ? 128 : 32;
    const isLength = length === undefined || (/^\d{1,3}$/u.test(length) && Number(length) <= bits);
    return isIpAddress(address) && isLength && rest.length === 0 ? undefined : `"${range}" is not a range of addresses`;
  });
}

/** Lists are written with commas; empty ones are allowed. */
function firstProblem(list: string, check: Check): string | undefined {
  const items = list.split(",").map((item) => item.trim());
  return items
    .filter((item) => item !== "")
    .map(check)
    .find((problem) => problem !== undefined);
}
