import { isMapping } from "../lib/is-mapping.ts";
import { ownValue } from "../lib/own-value.ts";
import { parseJson } from "../lib/parse-json.ts";
import { isInjected } from "./injection-status.ts";
import { initContainer, overridesAnnotation, proxyContainer, validationContainer } from "./names.ts";
import { type Container, type Pod, readPod } from "./pod.ts";

const injectedContainers = new Set([proxyContainer, initContainer, validationContainer]);

/** The user's own fields of injected containers. They are laid over the template. */
export type Overrides = ReadonlyMap<string, Container>;

/**
 * Separates the user's containers from those of an earlier injection, which the annotation `proxy.istio.io/overrides`
 * remembers. An image `auto` means the template's image.
 */
export function overridesIn(pod: Pod): Overrides | { readonly problem: string } {
  const { annotations = {} } = pod.metadata;
  const remembered = ownValue(annotations, overridesAnnotation);
  if (remembered !== undefined) {
    const read = readRemembered(remembered);
    if (typeof read === "string") return { problem: `annotation ${overridesAnnotation}: ${read}` };
    return new Map(read.map((container) => [container.name, withoutCompleted(container)]));
  }
  if (isInjected(annotations)) return new Map();
  const { containers, initContainers = [] } = pod.spec;
  const own = [...containers, ...initContainers].filter(({ name }) => injectedContainers.has(name));
  return new Map(own.map((container) => [container.name, withoutCompleted(withoutAuto(container))]));
}

/** The annotation's value; undefined without overrides. */
export function overridesText(
  overrides: Overrides,
  template: { readonly containers: readonly Container[]; readonly initContainers: readonly Container[] },
): string | undefined {
  const overridden = (list: readonly Container[]) => list.flatMap(({ name }) => overrides.get(name) ?? []);
  const [containers, initContainers] = [overridden(template.containers), overridden(template.initContainers)];
  if (containers.length + initContainers.length === 0) return undefined;
  return JSON.stringify({
    ...(containers.length > 0 && { containers }),
    ...(initContainers.length > 0 && { initContainers }),
  });
}

function readRemembered(text: string): readonly Container[] | string {
  const raw = parseJson(text);
  if (!isMapping(raw)) return "expected a JSON object";
  const { containers = [], initContainers = [] } = raw;
  const read = readPod({ spec: { containers, initContainers } });
  if ("problem" in read) return read.problem.replaceAll("spec.", "");
  return [...read.pod.spec.containers, ...(read.pod.spec.initContainers ?? [])];
}

function withoutAuto({ image, ...rest }: Container): Container {
  return image === undefined || image === "auto" ? rest : { ...rest, image };
}

/** The injection completes these variables, also on later injections. A value of the user is a start, not an override. */
const completed = new Set(["ISTIO_KUBE_APP_PROBERS", "ISTIO_PROMETHEUS_ANNOTATIONS"]);

function withoutCompleted(container: Container): Container {
  const { env, ...rest } = container;
  if (!env?.some(({ name }) => completed.has(name))) return container;
  return { ...rest, env: env.filter(({ name }) => !completed.has(name)) };
}
