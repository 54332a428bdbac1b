import type { IncomingMessage } from "node:http";
import { isLocal } from "../../admin/request-origin.ts";
import { authenticatedViewer, type RefusedViewer, type Viewer, type ViewerRules } from "../../admin/viewer.ts";
import type { Session } from "../api/model/session.ts";
import type { Sessions } from "./sessions.ts";

/** The viewer of a request, and how it was recognised. */
export interface RecognisedViewer {
  readonly viewer: Viewer;
  readonly by: Session["by"];
  /** Whether it may change the state of the server: only with a token of an operator. */
  readonly mayChange: boolean;
  readonly expiresAt?: number;
}

const local: RecognisedViewer = { viewer: { type: "system" }, by: "local", mayChange: false };

/**
 * The rules of the pages. A session stands for the header with its token; a header counts more than a session. A client
 * on this machine sees everything, whatever its token is.
 */
export async function recognise(
  request: IncomingMessage,
  rules: ViewerRules,
  sessions: Sessions,
): Promise<RecognisedViewer | RefusedViewer> {
  const session = request.headers.authorization === undefined ? sessions.find(request.headers.cookie) : undefined;
  const known = await byToken(request, session, rules);
  const isOperator = !("status" in known) && known.viewer.type === "system";
  return isLocal(request) && !isOperator ? local : known;
}

async function byToken(
  request: IncomingMessage,
  session: ReturnType<Sessions["find"]>,
  rules: ViewerRules,
): Promise<RecognisedViewer | RefusedViewer> {
  const viewer = await authenticatedViewer(session === undefined ? request : withToken(request, session.token), rules);
  if (viewer.type === "refused") return viewer;
  const mayChange = viewer.type === "system";
  return session === undefined
    ? { viewer, by: "token", mayChange }
    : { viewer, by: "session", mayChange, expiresAt: session.expiresAt };
}

/** The same request with a token in its header. */
export function withToken(
  { headers, socket }: IncomingMessage,
  token: string,
): Pick<IncomingMessage, "headers" | "socket"> {
  return { socket, headers: { ...headers, authorization: `Bearer ${token}` } };
}
