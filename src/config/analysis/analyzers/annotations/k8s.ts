import { didYouMean } from "../../../../lib/did-you-mean.ts";
import type { Config } from "../../../config.ts";
import { fieldPath } from "../../../field-path.ts";
import type { Kind } from "../../../kind.ts";
import { deployment, namespace, pod, service } from "../../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { injectLabel } from "../../facts/injection.ts";
import { messages } from "../../messages.ts";
import { annotationProblem } from "./annotation-value.ts";
import { knownAnnotations } from "./known-annotations.ts";

const inputs: readonly Kind[] = [namespace, service, pod, deployment];

export const k8s: Analyzer = {
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
