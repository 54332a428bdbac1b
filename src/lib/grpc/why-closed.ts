import { type CloseReason, GrpcStatus } from "./grpc-stream.ts";

const names: ReadonlyMap<number, string> = new Map(Object.entries(GrpcStatus).map(([name, code]) => [code, name]));

const plainWords: ReadonlyMap<unknown, string> = new Map([
  ["ECONNREFUSED", "nobody listens there"],
  ["ECONNRESET", "the connection was lost"],
  ["ENOTFOUND", "there is no such host"],
  ["ETIMEDOUT", "it does not answer"],
]);

/**
 * Describes for people why a stream ended, as the client's end sees it. Without a status it describes the server's end.
 */
export function whyClosed(reason: CloseReason): string {
  if (reason.type === "client") return "we ended the stream";
  if (reason.type === "server") {
    if (reason.status === undefined) return "we ended the stream";
    const { code, message } = reason.status;
    const name = names.get(code) ?? `status ${code}`;
    return message === "" || message === name
      ? `it ended the stream: ${name}`
      : `it ended the stream: ${name}, ${message}`;
  }
  const { cause } = reason;
  return ("code" in cause ? plainWords.get(cause.code) : undefined) ?? cause.message;
}
