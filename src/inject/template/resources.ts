import { ownValue } from "../../lib/own-value.ts";
import type { Fields } from "../pod.ts";
import { optional, type TemplateInput } from "./template-input.ts";

/** The resources of the proxy and of its init container. One annotation replaces all defaults. */
export function resourcesOf({ annotations, settings }: TemplateInput): Fields {
  const quantity = (name: string) => ownValue(annotations, `sidecar.istio.io/${name}`);
  const requests = { ...optional("cpu", quantity("proxyCPU")), ...optional("memory", quantity("proxyMemory")) };
  const limits = { ...optional("cpu", quantity("proxyCPULimit")), ...optional("memory", quantity("proxyMemoryLimit")) };
  const groups = Object.entries({ requests, limits }).filter(([, group]) => Object.keys(group).length > 0);
  return groups.length > 0 ? Object.fromEntries(groups) : settings.proxy.resources;
}
