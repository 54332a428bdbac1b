import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DeskState } from "../../src/desk/api/desk-state.ts";
import { apiEndpoints } from "../../src/desk/api/endpoints.ts";
import { markdownTable } from "./table.ts";

const folder = join(import.meta.dirname, "../../src/desk/api/model");

/** The rows of the table, without a mesh behind them. */
export const deskEndpoints = apiEndpoints({} as DeskState);

/** The names of all types of the API. */
export function modelTypes(): ReadonlySet<string> {
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  return new Set(
    texts.flatMap((text) => Array.from(text.matchAll(/^export (?:interface|type) (\w+)/gmu), ([, name = ""]) => name)),
  );
}

export function deskApiPage(): string {
  const rows = deskEndpoints.map(({ method, path, doc, takes, gives, access }) => [
    `\`${method} /api/v1${path}\``,
    doc,
    takes === undefined ? `\`${gives}\`` : `\`${takes}\` → \`${gives}\``,
    access === "namespace" ? "own namespace" : "403",
  ]);
  const parameters = deskEndpoints.flatMap(({ method, path, parameters = {} }) =>
    Object.entries(parameters).map(([name, doc]) => [`\`${method} ${path}\``, `\`${name}\``, doc]),
  );
  const models = readdirSync(folder)
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8")
        .replaceAll(/^import .*\n/gmu, "")
        .trim();
      return `### ${file}\n\n\`\`\`ts\n${text}\n\`\`\`\n`;
    });
  return `# The API of the desk

The desk of operators is at \`/\` of the \`--http\` address, and its JSON API below \`/api/v1\`. \`--desk off\` closes both.

Clients on the server's machine need no credentials to read; changes need a token of an operator. Others send \`authorization: Bearer TOKEN\`, or open a session with
\`POST /api/v1/session\`. Operators see everything, a workload sees its own namespace, as on [the debug
pages](introspection.md). Answers with a status of 400 or more are an \`ApiProblem\`. A path segment is
percent-encoded. An overloaded server answers \`/session\` and \`/control-plane\`. It refuses the others with 503, plain text and
\`Retry-After\`.

${markdownTable(
  ["endpoint", "description", "types", "for a workload"],
  [
    ["`GET /api/v1/session`", "The viewer and the server.", "`Session`", "itself"],
    [
      "`POST /api/v1/session`",
      "Exchanges a token for a cookie, for eight hours at most.",
      "`SessionRequest` → `Session`",
      "itself",
    ],
    ["`DELETE /api/v1/session`", "Ends the session.", "", "itself"],
    [
      "`GET /api/v1/events`",
      "Live events, as server-sent events. At most 100 readers.",
      "`DeskEvent`",
      "own namespace",
    ],
    ...rows,
  ],
)}
## Parameters

${markdownTable(["endpoint", "parameter", "description"], parameters)}
## Types

${models.join("\n")}`;
}
