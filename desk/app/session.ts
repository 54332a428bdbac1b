import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../../src/desk/api/model/session.ts";

/** The viewer and the server, for all parts of the page. */
export interface KnownSession {
  readonly session: Session;
  /** Asks the server again: the viewer has entered a token. */
  readonly reload: () => void;
}

export const SessionContext = createContext<KnownSession | undefined>(undefined);

/** Whether the server answers this viewer at the path: a Galley has no proxies, a workload sees no settings. */
export function useOffer(endpoint: string): boolean {
  return offers(useContext(SessionContext)?.session, endpoint);
}

/** Whether the viewer may change the server, and how to read the session again after a token was entered. */
export function useRights(): { readonly mayChange: boolean; readonly reload: () => void } {
  const known = useContext(SessionContext);
  const viewer = known?.session.viewer;
  return { mayChange: viewer?.type === "operator" && viewer.mayChange, reload: known?.reload ?? (() => undefined) };
}

/** Every server with a desk has these. */
const always: readonly string[] = ["/overview", "/changes", "/proxies"];

export function offers(session: Session | undefined, endpoint: string): boolean {
  return (session?.endpoints ?? always).includes(endpoint);
}
