import type { IncomingMessage } from "node:http";
import { readBody } from "../read-body.ts";
import { type PageAnswer, text } from "../route.ts";

/** Objects in Kubernetes have at most 1.5 MiB, and an update carries two of them. */
const maxBodyBytes = 8 * 1024 * 1024;

/** The JSON of a call of a webhook, or the answer to a request that is none. Rejects only when it is cut off. */
export async function readJsonCall(request: IncomingMessage, path: string): Promise<string | PageAnswer> {
  if (request.method !== "POST") return text(`${path} accepts POST only`, 405);
  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) return text(`the review exceeds ${maxBodyBytes} bytes`, 413);
  if (body.length === 0) return text("the body contains no review", 400);
  if (!isJson(request.headers["content-type"])) return text("the content type must be application/json", 415);
  return body.toString("utf8");
}

/** Parameters, such as a charset, are allowed. */
function isJson(contentType = ""): boolean {
  const [type = ""] = contentType.split(";");
  return type.trim().toLowerCase() === "application/json";
}
