import { isMapping } from "../lib/is-mapping.ts";
import { type DecisionOptions, decide } from "./decision.ts";
import { type InjectionContext, injectPod } from "./inject-pod.ts";
import { type Fields, readPod } from "./pod.ts";
import type { Workload } from "./template/template-input.ts";
import { workloadOf } from "./workload-of.ts";

/** The result of injection for one object. Objects without pods have no outcome. */
export interface Outcome {
  readonly type: "injected" | "skipped" | "failed";
  /** `Deployment shop/web`. */
  readonly object: string;
  /** Why the object was skipped or failed. */
  readonly messages: readonly string[];
}

export interface InjectedObject {
  /** The same value if nothing changed. */
  readonly value: unknown;
  readonly outcomes: readonly Outcome[];
}

export interface ObjectOptions extends InjectionContext {
  /** Of objects that name none. */
  readonly defaultNamespace: string;
  readonly revisions: NonNullable<DecisionOptions["revisions"]>;
}

/** Injects the pod, the pod template or the listed objects in any Kubernetes object. Never throws. */
export function injectObject(value: unknown, options: ObjectOptions): InjectedObject {
  if (!isMapping(value)) return { value, outcomes: [] };
  if (Array.isArray(value["items"]) && text(value["kind"]).endsWith("List")) {
    const items = value["items"].map((item) => injectObject(item, options));
    const outcomes = items.flatMap((item) => item.outcomes);
    const isChanged = outcomes.some(({ type }) => type === "injected");
    return { value: isChanged ? { ...value, items: items.map((item) => item.value) } : value, outcomes };
  }
  const path = podPath(value);
  return path === undefined ? { value, outcomes: [] } : injectAt(value, path, options);
}

/** The way to the pod in an object of this kind; undefined for objects without pods. */
function podPath(value: Fields): readonly string[] | undefined {
  if (value["kind"] === "Pod") return value["apiVersion"] === "v1" ? [] : undefined;
  // Knative creates its own Deployments, and refuses containers that it does not know.
  if (text(value["apiVersion"]).startsWith("serving.knative.dev/")) return undefined;
  const paths = [["spec", "template"], ["spec", "jobTemplate", "spec", "template"], ["template"]];
  return paths.find((path) => Array.isArray(fieldAt(value, [...path, "spec", "containers"])));
}

function injectAt(value: Fields, path: readonly string[], options: ObjectOptions): InjectedObject {
  const object = describe(value, options);
  const outcome = (type: Outcome["type"], messages: readonly string[]): Outcome => ({ type, object, messages });
  const read = readPod(fieldAt(value, path));
  if ("problem" in read) return { value, outcomes: [outcome("failed", [read.problem])] };
  const { pod } = read;
  const workload = workloadFor(value, path, options);
  const namespace = pod.metadata.namespace ?? workload.namespace;
  const decision = decide(pod, options.settings, { namespace, revisions: options.revisions });
  if (decision.type === "skip") return { value, outcomes: [outcome("skipped", [decision.sentence])] };
  const injected = injectPod(pod, path.length === 0 ? workloadOf(pod, namespace) : workload, options);
  if ("problems" in injected) return { value, outcomes: [outcome("failed", injected.problems)] };
  return { value: withField(value, path, injected.pod), outcomes: [outcome("injected", [])] };
}

function workloadFor(value: Fields, path: readonly string[], { defaultNamespace }: ObjectOptions): Workload {
  const metadata = isMapping(value["metadata"]) ? value["metadata"] : {};
  const namespace = text(metadata["namespace"]) || defaultNamespace;
  const apiVersion = path.length === 0 ? "v1" : text(value["apiVersion"]);
  return { apiVersion, kind: text(value["kind"]), name: text(metadata["name"]), namespace };
}

function describe(value: Fields, options: ObjectOptions): string {
  const { kind, name, namespace } = workloadFor(value, [], options);
  return `${kind} ${namespace}/${name || "(no name)"}`;
}

function fieldAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isMapping(inner) ? inner[name] : undefined), value);
}

function withField(value: Fields, path: readonly string[], inner: Fields): Fields {
  const [name, ...rest] = path;
  if (name === undefined) return inner;
  const field = value[name];
  return { ...value, [name]: withField(isMapping(field) ? field : {}, rest, inner) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
