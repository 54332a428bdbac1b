import { mergeOver } from "./merge.ts";
import { initContainer, proxyContainer, validationContainer } from "./names.ts";
import type { Overrides } from "./overrides.ts";
import type { Container, Fields, Pod, PodSpec } from "./pod.ts";
import type { PodTemplate } from "./template/template-input.ts";

/** Lays the template over the pod, and the user's own fields of injected containers over both. */
export function layTemplate(pod: Pod, template: PodTemplate, overrides: Overrides): Pod {
  const { metadata, spec } = pod;
  const { volumes = [], initContainers = [], ...rest } = template.spec;
  const placed = placedLike(spec, { ...rest, initContainers });
  // A volume of the user with the name of an injected one takes its place, such as the socket of SPIRE.
  const taken = new Set(spec.volumes?.map(({ name }) => name));
  const added = volumes.filter(({ name }) => !taken.has(name));
  const customised = [...template.spec.containers, ...initContainers].flatMap(({ name }) => overrides.get(name) ?? []);
  const laid = mergeOver(placed, { ...rest, ...(initContainers.length > 0 && { initContainers }) });
  const final = customised.reduce<Fields>((base, own) => mergeOver(base, listed(own, initContainers)), laid);
  return {
    ...pod,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...template.labels },
      annotations: { ...metadata.annotations, ...template.annotations },
    },
    spec: { ...(final as unknown as PodSpec), volumes: [...(spec.volumes ?? []), ...added] },
  };
}

function listed(container: Container, init: readonly Container[]): Fields {
  return init.some(({ name }) => name === container.name)
    ? { initContainers: [container] }
    : { containers: [container] };
}

/** Moves the proxy to the list that the template has it in, and removes containers that it no longer has. */
function placedLike(spec: PodSpec, template: PodSpec): Fields {
  const { containers, initContainers = [] } = spec;
  const proxies = [...containers, ...initContainers].filter(({ name }) => name === proxyContainer);
  const kept = new Set(template.initContainers?.map(({ name }) => name));
  const stale = new Set([initContainer, validationContainer].filter((name) => !kept.has(name)));
  const others = (list: readonly Container[]) => list.filter(({ name }) => name !== proxyContainer && !stale.has(name));
  const native = kept.has(proxyContainer);
  const init = [...others(initContainers), ...(native ? proxies : [])];
  return {
    ...spec,
    containers: [...others(containers), ...(native ? [] : proxies)],
    ...((spec.initContainers !== undefined || native) && { initContainers: init }),
  };
}
