import type { IncomingMessage } from "node:http";
import { answerInjection, type InjectionAnswer } from "../../inject/admission/answer-injection.ts";
import { readInjectPath } from "../../inject/admission/inject-path.ts";
import type { InjectionContext } from "../../inject/inject-pod.ts";
import { type PageAnswer, text } from "../route.ts";
import { readJsonCall } from "./json-call.ts";

export interface InjectOptions {
  /** The settings and the mesh as they are now. */
  readonly context: () => InjectionContext;
  /** Called for every answered review. */
  readonly onInjection: (answer: InjectionAnswer) => void;
}

export function isInjectPath(path: string): boolean {
  return path === "/inject" || path.startsWith("/inject/");
}

/** Answers one request to the mutating webhook. Rejects only when the request is cut off. */
export async function answerInjectCall(
  request: IncomingMessage,
  path: string,
  { context, onInjection }: InjectOptions,
): Promise<PageAnswer> {
  const place = readInjectPath(path);
  if (place === undefined) return text("no such path: /inject may be followed by /cluster/NAME and /net/NAME", 404);
  const body = await readJsonCall(request, path);
  if (typeof body !== "string") return body;
  const answer = answerInjection(body, { ...context(), ...place });
  onInjection(answer);
  return { status: 200, contentType: "application/json", body: JSON.stringify(answer.review) };
}
