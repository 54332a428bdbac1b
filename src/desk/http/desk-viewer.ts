import type { IncomingMessage } from "node:http";
import { isLocal } from "../../admin/request-origin.ts";
import { type RefusedViewer, type Viewer, type ViewerRules, viewerOf } from "../../admin/viewer.ts";
import type { Session } from "../api/model/session.ts";
import type { Sessions } from "./sessions.ts";

/** The viewer of a request, and how it was recognised. */
export interface RecognisedViewer {
  readonly viewer: Viewer;
  readonly by: Session["by"];
  readonly expiresAt?: number;
}

/** The rules of the pages. A session stands for the header with its token; a header counts more than a session. */
export async function recognise(
  request: IncomingMessage,
  rules: ViewerRules,
  sessions: Sessions,
): Promise<RecognisedViewer | RefusedViewer> {
  if (isLocal(request)) return { viewer: { type: "system" }, by: "local" };
  const session = request.headers.authorization === undefined ? sessions.find(request.headers.cookie) : undefined;
  const viewer = await viewerOf(session === undefined ? request : withToken(request, session.token), rules);
  if (viewer.type === "refused") return viewer;
  return session === undefined ? { viewer, by: "token" } : { viewer, by: "session", expiresAt: session.expiresAt };
}

/** The same request with a token in its header. */
export function withToken(
  { headers, socket }: IncomingMessage,
  token: string,
): Pick<IncomingMessage, "headers" | "socket"> {
  return { socket, headers: { ...headers, authorization: `Bearer ${token}` } };
}
