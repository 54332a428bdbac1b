import type { ContainerManifest, PodManifest, Texts } from "./manifest.ts";

/** The variables of a container. Throws for a reference that a kubelet would not resolve. */
export function containerEnv(manifest: PodManifest, { env = [], resources }: ContainerManifest, podIp: string): Texts {
  const fields = podFields(manifest, podIp);
  const resolved: Record<string, string> = {};
  for (const { name, value = "", valueFrom } of env) {
    const { fieldRef, resourceFieldRef } = valueFrom ?? {};
    if (resourceFieldRef !== undefined) {
      resolved[name] = limitOf(resources?.limits ?? {}, resourceFieldRef.resource);
    } else if (fieldRef !== undefined) {
      const field = fields[fieldRef.fieldPath];
      if (field === undefined) throw new Error(`the variable ${name} refers to ${fieldRef.fieldPath}`);
      resolved[name] = field;
    } else {
      resolved[name] = expand(value, resolved);
    }
  }
  return resolved;
}

/** `$(NAME)` stands for a variable that is defined; otherwise it stays. */
export function expand(text: string, env: Texts): string {
  return text.replaceAll(/\$\(([\w.-]+)\)/gu, (whole, name: string) => env[name] ?? whole);
}

/** The content of a file of the downward API: one line for each label or annotation. */
export function mapLines(map: Texts): string {
  const lines = Object.entries(map).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return lines.toSorted().join("\n");
}

function podFields({ metadata, spec }: PodManifest, podIp: string): Texts {
  return {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec.nodeName ?? "",
    "spec.serviceAccountName": spec.serviceAccountName,
    "status.hostIP": podIp,
    "status.podIP": podIp,
    "status.podIPs": podIp,
  };
}

const units: Readonly<Record<string, number>> = {
  m: 0.001,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** Rounded up. A container without a limit may use the whole node. */
function limitOf(limits: Texts, resource: string): string {
  const quantity = limits[resource.replace("limits.", "")] ?? (resource === "limits.memory" ? "4Gi" : "2");
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/u.exec(quantity) ?? [];
  const factor = unit === "" ? 1 : units[unit];
  if (amount === undefined || factor === undefined) throw new Error(`${quantity} is no quantity`);
  return String(Math.ceil(Number(amount) * factor));
}
