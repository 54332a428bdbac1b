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

The codes of errors that leave the process. A command ends with a sentence on stderr and the exit code, a gRPC call with
the status and the sentence; of \`internal\` a client learns no more than that, and the log has the rest. Pages answer with
HTTP statuses of their own: an error that one of them does not expect is a bug, logged and answered with 500. What is
wrong with configuration is an [issue](issues.md) instead.

${markdownTable(["code", "meaning", "gRPC status", "exit code"], rows)}`;
}
