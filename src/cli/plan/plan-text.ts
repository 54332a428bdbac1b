import { counted } from "../../lib/counted.ts";
import { cutText } from "../../lib/cut-text.ts";
import type { DeliveredType, Delivery, Plan, PlannedRequest, PlannedWave } from "../../plan/plan.ts";
import { someOf } from "../../plan/risks/found-risks.ts";
import { type Styled, stylesFor } from "../issues/excerpt-lines.ts";

const shownDeliveries = 20;
const shownResources = 12;
const shownRequests = 40;
const mostCharacters = 240;
const colours = { added: "green", removed: "red", changed: "yellow" } as const;

/** For people: objects, risks first, then requests, conflicts, and the bytes for each group of proxies. */
export function planText(plan: Plan, coloured: boolean): string {
  const styled = stylesFor(coloured);
  const { objects, risks, requests, conflicts, deliveries, proxies, id } = plan;
  return [
    `plan ${id}: ${counted(objects.length, "object")}, ${proxies.touched} of ${counted(proxies.total, "proxy").replace("proxys", "proxies")} touched`,
    ...objects.map(
      ({ operation, id: object, reference }) =>
        `  ${styled(colours[operation], operation.padEnd(7))} ${object}${reference === "" ? "" : ` (${reference})`}`,
    ),
    ...section(
      "risks",
      risks.map(({ code, text }) => `  ${styled("red", code)}: ${cutText(text, mostCharacters)}`),
    ),
    ...section("waves", (plan.waves ?? []).map(waveLine)),
    ...(plan.judged === undefined ? [] : ["", judgeNote(plan)]),
    ...section("requests", [
      ...requests.changes.slice(0, shownRequests).flatMap((request) => requestLines(request, styled)),
      ...moreLine(requests.changes.length - shownRequests, "request"),
      `  ${requestNote(plan)}`,
    ]),
    ...section(
      "conflicts",
      conflicts.map(
        ({ change, type, about, winner = "the mesh", losers, reason }) =>
          `  ${change} ${type} ${about}: ${winner} wins over ${losers.join(", ")} (${reason})`,
      ),
    ),
    ...section("proxies", [
      ...deliveries.slice(0, shownDeliveries).flatMap((delivery) => deliveryLines(delivery, styled)),
      ...moreLine(deliveries.length - shownDeliveries, "group"),
    ]),
  ].join("\n");
}

/** How far the answer about requests can be trusted. */
export function requestNote({ requests: { asked, changes, unsampled, left } }: Plan): string {
  return [
    `${counted(changes.length, "request")} of ${asked} that were derived from the routes change`,
    ...(unsampled > 0 ? [`${counted(unsampled, "route")} without a request`] : []),
    ...(left > 0 ? [`${left} not asked: see --max-requests`] : []),
  ].join("; ");
}

/** Empty without an Envoy. */
export function judgeNote({ judged, risks }: Plan): string {
  if (judged === undefined) return "";
  const { groups, left } = judged;
  const refused = risks.filter(({ code }) => code === "refused-by-envoy").length;
  const rest = left > 0 ? `; ${counted(left, "group")} not judged to the end` : "";
  return `Envoy judged ${counted(groups, "group")} of proxies and refuses ${counted(refused, "changed resource")}${rest}`;
}

/** `CDS 1 response, 2 resources, 1.2 kB` */
export function typeText({ type, responses, resources, bytes }: DeliveredType): string {
  return `${type} ${counted(responses, "response")}, ${counted(resources, "resource")}, ${bytesText(bytes)}`;
}

function bytesText(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} kB`;
}

/** `shop/change wave 1 of 3: router~… (1)` */
function waveLine({ rollout, wave, of, proxies }: PlannedWave): string {
  return `  ${rollout} wave ${wave} of ${of}: ${proxies.length === 0 ? "no proxy" : `${someOf(proxies)} (${proxies.length})`}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines];
}

function moreLine(more: number, noun: string): readonly string[] {
  return more > 0 ? [`  and ${counted(more, `more ${noun}`)}`] : [];
}

function requestLines({ method, url, headers, proxies, before, after }: PlannedRequest, styled: Styled) {
  const shown = headers.map((header) => ` -H '${header}'`);
  return [
    `  ${method} ${url}${shown.join("")} from ${someOf(proxies)}`,
    styled("red", `    - ${cutText(before.text, mostCharacters)}`),
    styled("green", `    + ${cutText(after.text, mostCharacters)}`),
  ];
}

function deliveryLines({ proxies, count, mode, leftOut = [], types }: Delivery, styled: Styled): readonly string[] {
  const refused = leftOut.length === 0 ? "" : `, without ${someOf(leftOut)}, which they refuse`;
  return [
    `  ${someOf(proxies)} (${count}, ${mode})${refused}`,
    ...types.flatMap((type) => [
      `    ${typeText(type)}`,
      ...type.changes
        .slice(0, shownResources)
        .map(
          ({ operation, name, bytes }) =>
            `      ${styled(colours[operation], operation.padEnd(7))} ${name} ${bytesText(bytes)}`,
        ),
      ...moreLine(type.changes.length - shownResources, "resource").map((line) => `    ${line}`),
    ]),
  ];
}
