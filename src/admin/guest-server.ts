import type { IncomingMessage, ServerResponse } from "node:http";

/** Serves some paths of the HTTP port by its own rules. The port checks host and origin first, and sheds load. */
export interface GuestServer {
  takes(request: IncomingMessage, path: string): boolean;
  /** A cheap answer that an overloaded server gives, too. */
  isVital(path: string): boolean;
  serve(request: IncomingMessage, response: ServerResponse, asked: URL): Promise<void>;
}
