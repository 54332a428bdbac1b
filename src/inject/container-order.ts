import { initContainer, proxyContainer, validationContainer } from "./names.ts";
import type { Container, PodSpec } from "./pod.ts";

/**
 * Puts the injected containers where they work. `kubectl` defaults to the first container, so the proxy is last unless
 * it must start first. A native sidecar starts before the user's init containers, which may then use the mesh. Without
 * one, traffic is redirected after all init containers, because no proxy would take it.
 */
export function ordered(spec: PodSpec, holdsApplication: boolean): PodSpec {
  const containers = moved(spec.containers, proxyContainer, holdsApplication ? "first" : "last");
  const init = spec.initContainers ?? [];
  if (init.length === 0) return { ...spec, containers };
  return { ...spec, containers, initContainers: orderedInit(init) };
}

function orderedInit(init: readonly Container[]): readonly Container[] {
  if (!init.some(({ name }) => name === proxyContainer)) {
    return moved(moved(init, validationContainer, "first"), initContainer, "last");
  }
  return [proxyContainer, validationContainer, initContainer].reduce((list, name) => moved(list, name, "first"), init);
}

function moved(list: readonly Container[], name: string, place: "first" | "last"): readonly Container[] {
  const found = list.filter((container) => container.name === name);
  const others = list.filter((container) => container.name !== name);
  return place === "first" ? [...found, ...others] : [...others, ...found];
}
