import { InjectionMetrics } from "../../admin/webhook/injection-metrics.ts";
import type { InjectOptions } from "../../admin/webhook/inject-route.ts";
import type { Collection } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import { type Kind, outputOf } from "../../config/kind.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { proxyConfig } from "../../config/kinds/proxy-config.ts";
import { injectionSource } from "../../config/mesh/injection-source.ts";
import { parseOnly } from "../../config/yaml/yaml.ts";
import type { InjectionAnswer } from "../../inject/admission/answer-injection.ts";
import type { InjectionContext } from "../../inject/inject-pod.ts";
import {
  defaultSettings,
  discoveryAddressOf,
  type InjectionSettings,
} from "../../inject/settings/injection-settings.ts";
import { readValues } from "../../inject/settings/read-values.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { ReloadedFiles } from "../../transport/tls/reloaded-files.ts";
import type { Options } from "../options/options.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { type Component, component, withFlagNamed } from "../process/lifecycle.ts";
import { watchedFiles } from "../process/watched-files.ts";

/** The mutating webhook, and the components that it needs at run time. */
export interface Injection {
  readonly route: InjectOptions;
  readonly components: readonly Component[];
}

/** Undefined if the injection is off. */
export function injectionOf(
  context: ProcessContext,
  outputs: ReadonlyMap<string, Collection<Config>>,
): Injection | undefined {
  const { options, logs, metrics, supervisor } = context;
  if (!options.inject) return undefined;
  const logger = logs.logger("injection");
  const clock = supervisor.clockFor("webhook");
  let values = defaultSettings;
  const { injectValues: file } = options;
  const use = ([text = ""]: readonly string[]) => {
    values = settingsIn(text, file ?? "");
  };
  const onError = (error: unknown) => logger.error({ err: error, file }, "injection settings not replaced");
  const files = new ReloadedFiles({ files: file === undefined ? [] : [file], ...watchedFiles(clock), use, onError });
  const reading = component("inject-values", { start: () => files.start(), stop: () => files.stop() });
  const objectsOf = (kind: Kind) => outputs.get(outputOf(kind) ?? "")?.values() ?? [];
  const injectionContext = (): InjectionContext => {
    const settings = ofServer(values, options);
    const objects = { meshConfigs: objectsOf(meshConfig), proxyConfigs: objectsOf(proxyConfig) };
    return { settings, ...injectionSource(objects, discoveryAddressOf(settings)) };
  };
  const onInjection = supervisor.guard("webhook", recorder(new InjectionMetrics(metrics), logger));
  return {
    route: { context: injectionContext, onInjection },
    components: file === undefined ? [] : [withFlagNamed(reading)],
  };
}

/** Throws `bad-option` with all mistakes of the file. */
function settingsIn(text: string, file: string): InjectionSettings {
  const read = readValues(parseOnly(text, file));
  if ("settings" in read) return read.settings;
  throw new MeshError("bad-option", `${file}: ${read.problems.join("; ")}`);
}

/** Flags of the server take precedence over values that say the same. */
function ofServer(values: InjectionSettings, { revision, clusterId, domain }: Options): InjectionSettings {
  const { cluster, domain: byDefault } = defaultSettings;
  return {
    ...values,
    revision: revision === "default" ? values.revision : revision,
    cluster: clusterId === cluster ? values.cluster : clusterId,
    domain: domain === byDefault ? values.domain : domain,
  };
}

function recorder(counters: InjectionMetrics, logger: Logger): (answer: InjectionAnswer) => void {
  return ({ verdict, request }) => {
    const { namespace, name } = request ?? {};
    counters.requests.inc();
    switch (verdict.type) {
      case "injected":
      case "unchanged":
        counters.successes.inc();
        return logger.debug({ namespace, name, verdict: verdict.type }, "pod injected");
      case "skipped":
        counters.skips.inc({ reason: verdict.reason });
        return logger.info({ namespace, name, reason: verdict.reason }, "pod not injected");
      case "refused":
      case "unreadable":
        counters.failures.inc();
        return logger.warn({ namespace, name, denial: verdict.message }, "pod refused");
      default:
        return verdict satisfies never;
    }
  };
}
