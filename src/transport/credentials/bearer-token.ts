import type { IncomingHttpHeaders } from "node:http";

/** The token of an `authorization: Bearer …` header; undefined when there is none. */
export function bearerToken({ authorization = "" }: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}
