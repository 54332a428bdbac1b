import { ownValue } from "../../lib/own-value.ts";
import { templatesAnnotation } from "../names.ts";
import type { Texts } from "../pod.ts";
import { type InjectionSettings, type TemplateName, templateNames } from "../settings/injection-settings.ts";
import { gatewayTemplate } from "./gateway.ts";
import { sidecarTemplate } from "./sidecar.ts";
import type { PodTemplate, TemplateInput } from "./template-input.ts";

export const templates: Readonly<Record<TemplateName, (input: TemplateInput) => PodTemplate>> = {
  sidecar: sidecarTemplate,
  gateway: gatewayTemplate,
};

/** The templates that a pod asks for, or a problem. */
export function selectTemplates(
  annotations: Texts,
  settings: InjectionSettings,
): { readonly names: readonly TemplateName[] } | { readonly problem: string } {
  const wanted = ownValue(annotations, templatesAnnotation);
  if (wanted === undefined) return { names: settings.defaultTemplates };
  const asked = wanted.split(",").map((name) => name.trim());
  const unknown = asked.find((name) => !isTemplateName(name));
  if (unknown === undefined) return { names: asked.filter(isTemplateName) };
  const problem = `there is no template ${JSON.stringify(unknown)}; the templates are ${templateNames.join(", ")}`;
  return { problem: `annotation ${templatesAnnotation}: ${problem}` };
}

function isTemplateName(name: string): name is TemplateName {
  return templateNames.some((known) => known === name);
}
