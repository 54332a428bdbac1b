import type { IncomingMessage } from "node:http";
import { type Admission, admitReview } from "../../config/admission/admit-review.ts";
import type { JudgeOptions, RuleSet } from "../../config/admission/judge.ts";
import { type PageAnswer, text } from "../route.ts";
import { answerInjectCall, type InjectOptions, isInjectPath } from "./inject-route.ts";
import { readJsonCall } from "./json-call.ts";

/** Old Galleys had two paths with separate rules. Later ones select rules by kind. */
const reviewPaths: ReadonlyMap<string, RuleSet> = new Map([
  ["/validate", "byKind"],
  ["/admitpilot", "pilot"],
  ["/admitmixer", "mixer"],
]);

const readyPaths = new Set(["/ready", "/httpsReady"]);

export interface ReviewOptions extends Pick<JudgeOptions, "unknownFields"> {
  /** Called for every answered review. */
  readonly onAdmission: (admission: Admission) => void;
  /** The mutating webhook; absent if it is off. */
  readonly inject?: InjectOptions;
}

/** Answers one request to the webhook. Rejects only when the request is cut off. */
export async function answerCall(request: IncomingMessage, options: ReviewOptions): Promise<PageAnswer> {
  // Kubernetes appends how long it is going to wait: `?timeout=10s`.
  const [path = ""] = (request.url ?? "").split("?");
  if (readyPaths.has(path)) return text("ready");
  if (options.inject !== undefined && isInjectPath(path)) return answerInjectCall(request, path, options.inject);
  const rules = reviewPaths.get(path);
  if (rules === undefined) return text(`no such path: send reviews to ${[...reviewPaths.keys()].join(", ")}`, 404);
  const body = await readJsonCall(request, path);
  if (typeof body !== "string") return body;
  const admission = admitReview(body, { rules, unknownFields: options.unknownFields });
  options.onAdmission(admission);
  return { status: 200, contentType: "application/json", body: JSON.stringify(admission.review) };
}
