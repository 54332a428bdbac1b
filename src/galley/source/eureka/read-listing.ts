import { type Issue, warningAbout } from "../../../config/issue.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import { scalarText } from "../../../lib/scalar-text.ts";
import type { EurekaInstance, EurekaListing, EurekaPort, ListedInstance } from "./eureka-instance.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the JSON of `/apps` and `/apps/delta`. Servers differ: numbers may be strings, a list of one may be its
 * element, fields may be missing. Undefined if the JSON is no listing; callers must not change anything then.
 */
export function readListing(json: unknown): EurekaListing | undefined {
  const applications = isMapping(json) ? json["applications"] : undefined;
  if (!isMapping(applications)) return undefined;
  const listed: ListedInstance[] = [];
  const issues = new Map<string, Issue[]>();
  for (const application of listOf(applications["application"])) {
    if (!isMapping(application)) continue;
    const app = scalarText(application["name"]).toUpperCase();
    const bad = issues.get(app) ?? [];
    for (const fields of listOf(application["instance"])) {
      const instance = isMapping(fields) ? readInstance(fields, app) : undefined;
      if (instance !== undefined) listed.push({ instance, gone: isGone(fields) });
      else bad.push(unreadable(app));
    }
    if (bad.length > 0) issues.set(app, bad);
  }
  const hashcode = applications["apps__hashcode"];
  return { hashcode: typeof hashcode === "string" ? hashcode : undefined, listed, issues };
}

function readInstance(fields: Fields, listedUnder: string): EurekaInstance | undefined {
  const hostname = scalarText(fields["hostName"]);
  const id = scalarText(fields["instanceId"]) || hostname;
  const app = listedUnder || scalarText(fields["app"]).toUpperCase();
  if (id === "" || app === "") return undefined;
  const status = scalarText(fields["status"]).toUpperCase() || "UNKNOWN";
  const overridden = scalarText(fields["overriddenStatus"] ?? fields["overriddenstatus"]).toUpperCase() || "UNKNOWN";
  return {
    app,
    id,
    hostname,
    address: scalarText(fields["ipAddr"]) || hostname,
    status,
    inService: (overridden === "UNKNOWN" ? status : overridden) === "UP",
    port: readPort(fields["port"]),
    securePort: readPort(fields["securePort"]),
    metadata: readMetadata(fields["metadata"]),
  };
}

/** A port without an enabled flag is enabled. */
function readPort(raw: unknown): EurekaPort | undefined {
  const number = isMapping(raw) ? raw["$"] : raw;
  if (number === undefined || number === null || number === "") return undefined;
  return {
    number: Number(scalarText(number) || Number.NaN),
    enabled: !isMapping(raw) || scalarText(raw["@enabled"] ?? true) === "true",
  };
}

function readMetadata(raw: unknown): Readonly<Record<string, string>> {
  if (!isMapping(raw)) return {};
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, scalarText(value)]));
}

/** Java serializers write a list of one as its element, and omit an empty list. */
function listOf(raw: unknown): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  return raw === undefined || raw === null ? [] : [raw];
}

function isGone(fields: unknown): boolean {
  return isMapping(fields) && scalarText(fields["actionType"]).toUpperCase() === "DELETED";
}

function unreadable(app: string): Issue {
  const message = `an instance of ${app || "an application without name"} has neither an instanceId nor a hostName`;
  return warningAbout("", { code: "bad-instance", message });
}
