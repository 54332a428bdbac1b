import { errorFrom } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { isTooDeepText, maxJsonDepth } from "../../lib/json-depth.ts";

/** The answer has the same version as the request. */
const reviewVersions = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"] as const;

export type ReviewVersion = (typeof reviewVersions)[number];

/** The question of Kubernetes: is this operation on this object allowed? Absent texts are empty. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: string;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly operation: string;
  /** The final namespace of the object, whatever the object says; empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Empty if Kubernetes has yet to create the name from `generateName`. */
  readonly name: string;
  readonly object: unknown;
}

export type ReadReview =
  | { readonly type: "request"; readonly version: ReviewVersion; readonly request: AdmissionRequest }
  | { readonly type: "unreadable"; readonly version: ReviewVersion; readonly message: string };

/** Reads the body of a webhook call. Never throws. */
export function readReview(body: string): ReadReview {
  const json = readJson(body);
  if (!json.ok) return unreadable(`the review cannot be read: ${json.message}`);
  const review = isMapping(json.value) ? json.value : {};
  const version = reviewVersions.find((known) => known === review["apiVersion"]);
  if (version === undefined || review["kind"] !== "AdmissionReview") {
    return unreadable(`expected an AdmissionReview of ${reviewVersions.join(" or ")}`);
  }
  const request = review["request"];
  if (!isMapping(request)) return unreadable("the review has no request", version);
  return { type: "request", version, request: requestFrom(request) };
}

function unreadable(message: string, version: ReviewVersion = "admission.k8s.io/v1"): ReadReview {
  return { type: "unreadable", version, message };
}

function requestFrom(raw: Readonly<Record<string, unknown>>): AdmissionRequest {
  const { kind } = textsOf(raw["kind"], "kind");
  return {
    ...textsOf(raw, "uid", "operation", "namespace", "name"),
    kind,
    resource: textsOf(raw["resource"], "group", "version", "resource"),
    object: raw["object"],
  };
}

/** The named fields; empty if they are not texts. */
function textsOf<Name extends string>(raw: unknown, ...names: readonly Name[]): Readonly<Record<Name, string>> {
  const fields = isMapping(raw) ? raw : {};
  const texts = names.map((name) => [name, typeof fields[name] === "string" ? fields[name] : ""] as const);
  return Object.fromEntries(texts) as Record<Name, string>;
}

type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** Parses untrusted JSON. Neither deep nesting nor syntax errors do harm. */
function readJson(text: string): ReadJson {
  if (isTooDeepText(text)) return { ok: false, message: `it is nested more than ${maxJsonDepth} levels deep` };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (thrown) {
    return { ok: false, message: errorFrom(thrown).message };
  }
}
