import { meshErrors } from "../../src/lib/errors.ts";
import { table } from "./table.ts";

export function errorsPage(): string {
  const rows = Object.entries(meshErrors).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return `# Errors

The codes of errors that leave the process: in logs, as gRPC statuses and as messages of commands.

${table(["code", "meaning"], rows)}`;
}
