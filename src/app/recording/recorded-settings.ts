import { MeshError } from "../../lib/errors.ts";
import type { RecordedSettings } from "../../recording/step.ts";
import type { Options } from "../options/options.ts";
import { optionTable } from "../options/options.ts";
import { limitsFrom } from "../options/pipeline-limits.ts";
import { discoveryOptionNames } from "../xds/discovery-settings.ts";

const names = [
  ...discoveryOptionNames,
  "allowUnenforced",
  "clusterId",
  "domain",
  "scopeGatewayToNamespace",
  "workloadHealth",
] as const satisfies readonly (keyof Options)[];

/** The settings that responses depend on. */
export type ReplayedOptions = Pick<Options, (typeof names)[number]>;

/** The values that the server of these options uses, without the address of Prometheus, which may contain a password. */
export function recordedSettings(options: Options): RecordedSettings {
  const given = Object.fromEntries(names.map((name) => [name, options[name]]));
  const { maxInFlight } = limitsFrom(options);
  return { ...given, pushThrottle: maxInFlight, prometheus: options.prometheus === "off" ? "off" : "recorded" };
}

/** Throws `invalid-input` for settings that no server wrote. */
export function replayedOptions(settings: RecordedSettings): ReplayedOptions {
  for (const name of names) {
    const expected = optionTable[name].default;
    const found = settings[name];
    if (typeof found !== typeof expected || Array.isArray(found) !== Array.isArray(expected))
      throw new MeshError("bad-option", `the recording has no setting ${name} of this version of Binnacle`);
  }
  // Every value has the type of its default.
  return settings as unknown as ReplayedOptions;
}
