import { exitCodeOf } from "../../src/cli/command.ts";
import { type MeshErrorCode, meshErrors } from "../../src/lib/errors.ts";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import { statusOfError } from "../../src/transport/grpc-status.ts";
import { markdownTable } from "./table.ts";

export function errorsPage(): string {
  const statusNames = new Map(Object.entries(GrpcStatus).map(([name, status]) => [status, name]));
  const rows = (Object.keys(meshErrors) as MeshErrorCode[]).map((code) => [
    `\`${code}\``,
    meshErrors[code],
    statusNames.get(statusOfError[code]) ?? "",
    String(exitCodeOf(code)),
  ]);
  return `# Errors

The codes of errors that leave the process. A command prints a sentence on stderr and ends with the exit code. A gRPC call
ends with the status and the sentence. For \`internal\`, a client gets only the status, and the log has the details. Pages
answer with their own HTTP statuses. An unexpected error of a page is a bug: Binnacle logs it and answers with 500. Problems
of configuration are [issues](issues.md) instead.

${markdownTable(["code", "meaning", "gRPC status", "exit code"], rows)}`;
}
