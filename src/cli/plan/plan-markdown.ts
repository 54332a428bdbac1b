import { counted } from "../../lib/counted.ts";
import { cutText } from "../../lib/cut-text.ts";
import type { Plan, PlannedRequest } from "../../plan/plan.ts";
import { someOf } from "../../plan/risks/found-risks.ts";
import { judgeNote, requestNote, typeText } from "./plan-text.ts";

const shownRows = 50;
const mostCharacters = 240;

/** For a comment on a pull request: the risks and requests in view, the bytes folded away. */
export function planMarkdown(plan: Plan): string {
  const { id, objects, proxies, risks, requests, conflicts, deliveries } = plan;
  return [
    `### Plan \`${id}\``,
    `${counted(objects.length, "object")}, **${proxies.touched} of ${proxies.total}** proxies touched, ${counted(risks.length, "risk")}.`,
    table(
      ["", "object", "place"],
      objects.map(({ operation, id: object, reference }) => [operation, code(object), code(reference)]),
    ),
    ...titled(
      "Risks",
      table(
        ["risk", ""],
        risks.map(({ code: risk, text }) => [`**${risk}**`, plain(text)]),
      ),
    ),
    ...titled(
      "Waves",
      table(
        ["rollout", "wave", "proxies"],
        (plan.waves ?? []).map(({ rollout, wave, of, proxies }) => [
          code(rollout),
          `${wave} of ${of}`,
          code(someOf(proxies)),
        ]),
      ),
    ),
    judgeNote(plan),
    ...titled("Requests", table(["request", "from", "before", "after"], requests.changes.map(requestRow))),
    `${requestNote(plan)}.`,
    ...titled(
      "Conflicts",
      table(
        ["", "about", "winner", "losers", "rule"],
        conflicts.map(({ change, type, about, winner = "the mesh", losers, reason }) => [
          change,
          plain(`${type} ${about}`),
          code(winner),
          losers.map(code).join(", "),
          plain(reason),
        ]),
      ),
    ),
    ...folded(
      "What each proxy is sent",
      table(
        ["proxies", "", "responses", "changes"],
        deliveries.flatMap(({ proxies: names, count, mode, types }) =>
          types.map((type) => [
            code(someOf(names)),
            `${count}, ${mode}`,
            typeText(type),
            plain(someOf(type.changes.map(({ operation, name }) => `${operation} ${name}`))),
          ]),
        ),
      ),
    ),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

function requestRow({ method, url, headers, proxies, before, after }: PlannedRequest): readonly string[] {
  return [
    code(`${method} ${url}${headers.map((header) => ` ${header}`).join(",")}`),
    code(someOf(proxies)),
    plain(before.text),
    plain(after.text),
  ];
}

function titled(title: string, content: string): readonly string[] {
  return content === "" ? [] : [`#### ${title}`, content];
}

function folded(title: string, content: string): readonly string[] {
  return content === "" ? [] : [`<details><summary>${title}</summary>`, content, "</details>"];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Empty without rows. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const more = rows.length - shownRows;
  return [
    line(head),
    line(head.map(() => "---")),
    ...rows.slice(0, shownRows).map(line),
    ...(more > 0 ? [line([`and ${counted(more, "more row")}`, ...head.slice(1).map(() => "")])] : []),
  ].join("\n");
}

/** Names come from users, and must not end the cell, or begin markup. */
function code(text: string): string {
  return text === ""
    ? ""
    : `\`${cutText(text, mostCharacters).replaceAll("`", "'").replaceAll("|", "\\|").replaceAll("\n", " ")}\``;
}

function plain(text: string): string {
  return cutText(text, mostCharacters)
    .replaceAll(/[\\`*_{}[\]<>#|]/gu, String.raw`\$&`)
    .replaceAll("\n", " ");
}
