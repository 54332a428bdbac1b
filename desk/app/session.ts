import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../../src/desk/api/model/session.ts";

/** The viewer and the server, for all parts of the page. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Whether the server answers this viewer at the path: a Galley has no proxies, a workload sees no settings. */
export function useOffer(endpoint: string): boolean {
  return offers(useContext(SessionContext), endpoint);
}

/** Every server with a desk has these. */
const always: readonly string[] = ["/overview", "/changes", "/proxies"];

export function offers(session: Session | undefined, endpoint: string): boolean {
  return (session?.endpoints ?? always).includes(endpoint);
}
