import { kinds } from "../kinds.ts";
import { type JudgeOptions, judge } from "./judge.ts";
import { type AdmissionRequest, type ReviewVersion, readReview } from "./review.ts";
import { denied, type Verdict } from "./verdict.ts";

/** The answer to Kubernetes: a review with a response in place of the request. */
interface AnsweredReview {
  readonly apiVersion: ReviewVersion;
  readonly kind: "AdmissionReview";
  readonly response: AdmissionResponse;
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  /** The reason of a denial, as a `Status` of Kubernetes. */
  readonly status?: Readonly<Record<"status" | "message" | "reason", string> & { readonly code: number }>;
  readonly warnings?: readonly string[];
}

/** Labels for metrics. Unknown values become `unknown`, so that callers cannot create labels without bound. */
interface AdmissionLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface Admission {
  readonly review: AnsweredReview;
  readonly verdict: Verdict;
  readonly labels: AdmissionLabels;
  /** The request, if the body could be read that far. */
  readonly request?: AdmissionRequest;
}

/** Answers the body of a webhook call. Never throws: an unreadable body is denied. */
export function admitReview(body: string, options: JudgeOptions): Admission {
  const read = readReview(body);
  if (read.type === "unreadable") {
    const verdict = denied("yaml_decode_error", read.message);
    return { review: answer(read.version, "", verdict), verdict, labels: unknown };
  }
  const { version, request } = read;
  const verdict = judge(request, options);
  return { review: answer(version, request.uid, verdict), verdict, labels: labelsFor(request), request };
}

function answer(apiVersion: ReviewVersion, uid: string, verdict: Verdict): AnsweredReview {
  return { apiVersion, kind: "AdmissionReview", response: { uid, ...responseTo(verdict, apiVersion) } };
}

function responseTo(verdict: Verdict, version: ReviewVersion): Omit<AdmissionResponse, "uid"> {
  const { warnings } = verdict;
  const told = warnings.length === 0 || version === "admission.k8s.io/v1beta1" ? {} : { warnings };
  if (verdict.type !== "denied") return { allowed: true, ...told };
  const { message } = verdict;
  return { allowed: false, status: { status: "Failure", message, reason: "Invalid", code: 422 }, ...told };
}

const unknown: AdmissionLabels = { group: "unknown", version: "unknown", resource: "unknown" };

function labelsFor({ resource: asked }: AdmissionRequest): AdmissionLabels {
  const known = kinds.some(
    ({ group, versions, plural }) =>
      group === asked.group && plural === asked.resource && versions.includes(asked.version),
  );
  return known ? asked : unknown;
}
