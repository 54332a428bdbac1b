import type { IncomingMessage } from "node:http";
import { type Admission, admitReview } from "../../config/admission/admit-review.ts";
import type { JudgeOptions, RuleSet } from "../../config/admission/judge.ts";
import { readBody } from "../read-body.ts";
import { type PageAnswer, text } from "../route.ts";

/** Objects in Kubernetes have at most 1.5 MiB, and an update carries two of them. */
const maxBodyBytes = 8 * 1024 * 1024;

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
}

/** Answers one request to the webhook. Rejects only when the request is cut off. */
export async function answerCall(request: IncomingMessage, options: ReviewOptions): Promise<PageAnswer> {
  // Kubernetes appends how long it is going to wait: `?timeout=10s`.
  const [path = ""] = (request.url ?? "").split("?");
  if (readyPaths.has(path)) return text("ready");
  const rules = reviewPaths.get(path);
  if (rules === undefined) return text(`no such path: send reviews to ${[...reviewPaths.keys()].join(", ")}`, 404);
  if (request.method !== "POST") return text(`${path} accepts POST only`, 405);

  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) return text(`the review exceeds ${maxBodyBytes} bytes`, 413);
  if (body.length === 0) return text("the body contains no review", 400);
  if (!isJson(request.headers["content-type"])) return text("the content type must be application/json", 415);

  const admission = admitReview(body.toString("utf8"), { rules, unknownFields: options.unknownFields });
  options.onAdmission(admission);
  return { status: 200, contentType: "application/json", body: JSON.stringify(admission.review) };
}

/** Parameters, such as a charset, are allowed. */
function isJson(contentType = ""): boolean {
  const [type = ""] = contentType.split(";");
  return type.trim().toLowerCase() === "application/json";
}
