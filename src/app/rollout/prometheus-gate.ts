import type { RolloutGate } from "../../config/rollout/rollout-plan.ts";
import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { bodyOf, readJson } from "../../lib/bounded/read-bounded.ts";
import { MeshError } from "../../lib/errors.ts";
import { largest } from "../../lib/extremes.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { AskGate, GateAnswer } from "../../pilot/xds/rollout/staged-rollout.ts";
import { prometheusLimits } from "./prometheus-limits.ts";

/**
 * Asks a Prometheus server for the gates of rollouts. Every sample of the answer must be at most the limit of the gate.
 * No sample, a sample that is no number, and a server without an answer are no data: they open no gate.
 */
export function prometheusGate(server: string, others: Partial<Limits<typeof prometheusLimits>> = {}): AskGate {
  const limits = limitsOf(prometheusLimits, others);
  const path = `${server.replace(/\/+$/u, "")}/api/v1/query`;
  return async ({ query, most }: RolloutGate): Promise<GateAnswer> => {
    const signal = AbortSignal.timeout(limits.exchangeMs);
    try {
      // The query is the author's, and the server is the operator's.
      const response = await fetch(`${path}?${new URLSearchParams({ query }).toString()}`, {
        redirect: "error",
        signal,
      });
      const what = "the answer of Prometheus";
      const { answerBytes: maxBytes, answerValues: maxValues } = limits;
      const answer = await readJson(bodyOf(response), { what, maxBytes, maxValues });
      return verdictOn(answer, most, limits.samples);
    } catch (cause) {
      if (signal.aborted) return { type: "no data", reason: `no answer within ${limits.exchangeMs} ms` };
      if (cause instanceof MeshError) return { type: "no data", reason: cause.message };
      return { type: "no data", reason: "Prometheus cannot be reached" };
    }
  };
}

function verdictOn(answer: unknown, most: number, maxSamples: number): GateAnswer {
  const { status, error, data } = isMapping(answer) ? answer : {};
  if (status !== "success") {
    return { type: "no data", reason: typeof error === "string" ? error.slice(0, 200) : "no success" };
  }
  const values = isMapping(data) ? valuesIn(data) : undefined;
  if (values === undefined) return { type: "no data", reason: "the query gives neither samples nor a number" };
  if (values.length === 0) return { type: "no data", reason: "the query gives no sample" };
  if (values.length > maxSamples) return { type: "no data", reason: `more than ${maxSamples} samples` };
  if (values.some(Number.isNaN)) return { type: "no data", reason: "a sample is no number" };
  const value = largest(values);
  return { type: value <= most ? "passed" : "above", value };
}

function valuesIn({ resultType, result }: Readonly<Record<string, unknown>>): readonly number[] | undefined {
  if (!Array.isArray(result)) return undefined;
  if (resultType === "scalar") return [sampleIn(result)];
  if (resultType !== "vector") return undefined;
  return result.map((each: unknown) => sampleIn(isMapping(each) ? each["value"] : undefined));
}

/** `[time, "value"]`. */
function sampleIn(pair: unknown): number {
  const value: unknown = Array.isArray(pair) ? pair[1] : undefined;
  if (value === "+Inf") return Infinity;
  if (value === "-Inf") return -Infinity;
  return typeof value === "string" && value !== "" ? Number(value) : Number.NaN;
}
